/** Asks once more before a token is gone, and says what stays. */
import { call } from "../data/call.ts";
import { firstClick } from "../data/first-click.ts";
import { dollars } from "../data/format.ts";
import { useAction } from "../data/use-action.ts";
import { Failure } from "../parts/failure.tsx";
import type { Token } from "./token.ts";

interface DeleteTokenProps {
	readonly token: Token;
	readonly path: string;
	readonly cancel: () => void;
	readonly deleted: () => void;
}

export const DeleteToken = ({ token, path, cancel, deleted }: DeleteTokenProps) => {
	const { busy, failure, run } = useAction();
	return (
		<>
			<div class="inside">
				<p>
					Delete <b>{token.name}</b> (<code>{token.preview}</code>)? Its key is refused from then on, and it cannot be
					brought back.
				</p>
				<p class="quiet">
					Its calls and the {dollars(token.used)} they cost stay in the usage. To stop it for a while, disable it
					instead.
				</p>
			</div>
			<div class="bottom">
				<Failure failure={failure} />
				<button type="button" onClick={cancel}>
					Keep it
				</button>
				<button
					type="button"
					class="grave"
					disabled={busy}
					onClick={firstClick(() =>
						run(async () => {
							await call("DELETE", path);
							deleted();
						}),
					)}
				>
					Delete it
				</button>
			</div>
		</>
	);
};
