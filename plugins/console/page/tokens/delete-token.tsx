/** Asks once more before a token is gone, and says what stays. */
import { call } from "../data/call.ts";
import { dollars } from "../data/format.ts";
import { Asked } from "../parts/question.tsx";
import type { Token } from "./token.ts";

interface DeleteTokenProps {
	readonly token: Token;
	readonly path: string;
	readonly cancel: () => void;
	readonly deleted: () => void;
}

export const DeleteToken = ({ token, path, cancel, deleted }: DeleteTokenProps) => {
	const remove = async (): Promise<void> => {
		await call("DELETE", path);
		deleted();
	};
	return (
		<Asked yes="Delete it" no="Keep it" act={remove} close={cancel}>
			<p>
				Delete <b>{token.name}</b> (<code>{token.preview}</code>)? Its key is refused from then on, and it cannot be
				brought back.
			</p>
			<p class="quiet">
				Its calls and the {dollars(token.used)} they cost stay in the usage. To stop it for a while, disable it instead.
			</p>
		</Asked>
	);
};
