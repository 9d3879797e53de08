/** One token: what it may, what it did, and what can be done with it. */
import { useState } from "preact/hooks";
import { call } from "../data/call.ts";
import { firstClick } from "../data/first-click.ts";
import { focusHeading } from "../data/focus.ts";
import { useKeys } from "../data/keyboard.ts";
import type { Wire } from "../data/read.ts";
import { useAction } from "../data/use-action.ts";
import { useAnswer } from "../data/use-answer.ts";
import { Closing } from "../parts/closing.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Failure } from "../parts/failure.tsx";
import { DeleteToken } from "./delete-token.tsx";
import { EditToken } from "./edit-token.tsx";
import { RotateToken } from "./rotate-token.tsx";
import { type Token, tokenOf } from "./token.ts";
import { TokenFacts } from "./token-facts.tsx";

interface TokenSheetProps {
	readonly id: string;
	readonly close: () => void;
	readonly changed: () => void;
	/** With the only answer that holds the new key. */
	readonly rotated: (answer: Wire) => void;
}

type Task = "look" | "edit" | "rotate" | "delete";

export const TokenSheet = ({ id, close, changed, rotated }: TokenSheetProps) => {
	const path = `/admin/tokens/${encodeURIComponent(id)}`;
	const { data, failure, reload } = useAnswer(path);
	const [task, setTask] = useState<Task>("look");
	const action = useAction();
	// Somebody else may have deleted it: what it was is not shown as what it is.
	const token = data && failure?.status !== 404 ? tokenOf(data) : undefined;
	const saved = () => {
		setTask("look");
		reload();
		changed();
	};
	const look = () => setTask("look");
	useKeys(token && task === "look" ? { e: () => setTask("edit") } : {}, true);

	const acts = ({ disabled }: Token) => (
		<div class="bottom">
			<Failure failure={action.failure} />
			<button type="button" class="grave" onClick={() => setTask("delete")}>
				Delete
			</button>
			<button type="button" onClick={() => setTask("rotate")}>
				Rotate
			</button>
			<button
				type="button"
				disabled={action.busy}
				onClick={firstClick(() =>
					action.run(async () => {
						await call("POST", `${path}/${disabled ? "enable" : "disable"}`);
						saved();
					}),
				)}
			>
				{disabled ? "Enable" : "Disable"}
			</button>
			<button type="button" onClick={() => setTask("edit")}>
				Edit
			</button>
			<button type="button" onClick={close}>
				Close
			</button>
		</div>
	);

	return (
		<Dialog
			sheet
			title={token?.name ?? "Token"}
			words={token ? <code>{token.preview}</code> : undefined}
			close={task === "look" ? close : look}
		>
			{!token && (
				<>
					<div class="inside">
						<Failure failure={failure} />
						{failure?.status === 404 && (
							<p>
								If it was deleted, its calls are still here:{" "}
								<a href={`/console/calls?token=${encodeURIComponent(id)}`}>see them</a>
							</p>
						)}
					</div>
					<Closing close={close} />
				</>
			)}
			{token && task === "look" && (
				<>
					<TokenFacts token={token} />
					{acts(token)}
				</>
			)}
			{token && task === "edit" && <EditToken token={token} path={path} cancel={look} saved={saved} />}
			{token && task === "rotate" && (
				<RotateToken
					token={token}
					path={path}
					cancel={look}
					rotated={(answer) => {
						saved();
						rotated(answer);
					}}
				/>
			)}
			{token && task === "delete" && (
				<DeleteToken
					token={token}
					path={path}
					cancel={look}
					deleted={() => {
						changed();
						close();
						// The row it was opened by goes too, a moment later.
						setTimeout(focusHeading);
					}}
				/>
			)}
		</Dialog>
	);
};
