/** Something the person asks the server to do: one at a time, with what the server says when it refuses. */
import { useState } from "preact/hooks";
import { Refusal } from "./call.ts";
import { forget } from "./session.ts";

interface Action {
	readonly busy: boolean;
	readonly failure: Refusal | undefined;
	run(work: () => Promise<void>): void;
}

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
			if (error.status === 401 && error.code === "session_ended") forget();
			else setFailure(error);
		} finally {
			setBusy(false);
		}
	};
	return { busy, failure, run: (work) => void run(work) };
};
