/** The frame around every page. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useKeys } from "../data/keyboard.ts";
import { Waiting } from "../parts/waiting.tsx";
import { KeyList } from "./key-list.tsx";
import { Side } from "./side.tsx";

export const Shell = ({ children }: { readonly children: ComponentChildren }) => {
	const [keysShown, setKeysShown] = useState(false);
	useKeys({ "?": () => setKeysShown(true) });
	return (
		<div class="shell">
			<a class="skip" href="#main">
				Skip to the page
			</a>
			<Side />
			<main id="main">
				{children}
				<Waiting />
			</main>
			{keysShown && <KeyList close={() => setKeysShown(false)} />}
		</div>
	);
};
