/** Something the person asks the server to do: one at a time, with what the server says when it refuses. */
import { useState } from "preact/hooks";
import { Refusal } from "./call.ts";
import { forget, person, sessionOver } from "./session.ts";

interface Action {
	readonly busy: boolean;
	readonly failure: Refusal | undefined;
	run(work: () => Promise<void>): void;
}

/** Another tab that signed out took the cookie along, and then the server speaks as to whoever has never signed in. */
const overCodes: readonly unknown[] = ["session_ended", "invalid_admin_token"];

/** Of whoever is signing in the same refusal says what is wrong with that. */
const isOver = ({ status, code }: Refusal): boolean =>
	status === 401 && overCodes.includes(code) && Boolean(person.value) && !sessionOver.value;

export const useAction = (): Action => {
	const [busy, setBusy] = useState(false);
	const [failure, setFailure] = useState<Refusal>();
	const run = async (work: () => Promise<void>): Promise<void> => {
		if (busy) return;
		setBusy(true);
		setFailure(undefined);
		try {
			await work();
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
			if (isOver(error)) forget();
			else setFailure(error);
		} finally {
			setBusy(false);
		}
	};
	return { busy, failure, run: (work) => void run(work) };
};
