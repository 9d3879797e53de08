/** Gives a token another key; the old one is refused at once, or after a time in which applications change over. */
import { useState } from "preact/hooks";
import { call } from "../data/call.ts";
import { useKept } from "../data/kept.ts";
import type { Wire } from "../data/read.ts";
import { useAction } from "../data/use-action.ts";
import { Failure } from "../parts/failure.tsx";
import { Segments } from "../parts/segments.tsx";
import type { Token } from "./token.ts";

const graces = [
	{ value: "0", text: "At once" },
	{ value: "3600", text: "In an hour" },
	{ value: "86400", text: "In a day" },
	{ value: "604800", text: "In 7 days" },
];

interface RotateTokenProps {
	readonly token: Token;
	readonly path: string;
	readonly cancel: () => void;
	readonly rotated: (answer: Wire) => void;
}

export const RotateToken = ({ token, path, cancel, rotated }: RotateTokenProps) => {
	const { busy, failure, run } = useAction();
	const [grace, setGrace] = useState("0");
	// The answer holds the key.
	useKept(busy);
	const rotate = () => run(async () => rotated(await call("POST", `${path}/rotate`, { graceSeconds: Number(grace) })));
	return (
		<>
			<div class="inside">
				<p>
					<b>{token.name}</b> gets another key, shown once. Its settings, what it has used and its calls stay.
				</p>
				<div class="field">
					<p>
						The key it has now (<code>{token.preview}</code>) is refused
					</p>
					<Segments label="The old key is refused" options={graces} value={grace} choose={setGrace} />
					{grace !== "0" && <small>Until then both are good. Whoever has the old one can use it so long.</small>}
				</div>
			</div>
			<div class="bottom">
				<Failure failure={failure} />
				<button type="button" onClick={cancel}>
					Cancel
				</button>
				<button type="button" class="first" disabled={busy} onClick={rotate}>
					Rotate the key
				</button>
			</div>
		</>
	);
};
