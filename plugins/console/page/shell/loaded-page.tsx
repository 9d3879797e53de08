/** Shows a page once its part of the script is there. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { call, Refusal } from "../data/call.ts";
import { useWaiting } from "../data/waiting.ts";
import { Failure } from "../parts/failure.tsx";
import { Head } from "../parts/head.tsx";
import type { ConsolePage } from "./pages.ts";

/** Parts that are there already, so that coming back shows no gap. */
const loaded = new Map<string, ComponentType>();

const everyMs = 2_000;

/** Why the server does not answer now; undefined when it does. */
const away = async (): Promise<Refusal | undefined> => {
	try {
		await call("GET", "/livez");
		return undefined;
	} catch (error) {
		if (error instanceof Refusal) return error;
		throw error;
	}
};

export const LoadedPage = ({ page }: { readonly page: ConsolePage }) => {
	const [, setReady] = useState<string>();
	const [lost, setLost] = useState<"updated" | Refusal>();
	const Page = loaded.get(page.path);
	useEffect(() => {
		if (loaded.has(page.path)) return;
		let timer: ReturnType<typeof setTimeout> | undefined;
		let left = false;
		setLost(undefined);
		const look = async (here: () => void): Promise<void> => {
			const failure = await away();
			if (left) return;
			if (failure === undefined) return here();
			setLost(failure);
			// Browsers may keep that a part could not be loaded for as long as the page is open.
			timer = setTimeout(() => void look(() => location.reload()), everyMs);
		};
		page.load().then(
			(part) => {
				loaded.set(page.path, part);
				setReady(page.path);
			},
			() => void look(() => setLost("updated")),
		);
		return () => {
			left = true;
			clearTimeout(timer);
		};
	}, [page]);
	useWaiting(Page === undefined && lost === undefined);
	if (Page) return <Page />;
	if (lost === undefined) return <div aria-busy="true" />;
	if (lost !== "updated")
		return (
			<>
				<Head title={page.name} />
				<Failure failure={lost} />
			</>
		);
	return (
		<>
			<Head title={page.name}>This part of the console could not be loaded: it was probably updated meanwhile.</Head>
			<button type="button" onClick={() => location.reload()}>
				Load the console again
			</button>
		</>
	);
};
