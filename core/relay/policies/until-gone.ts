/** A plugin's answer may never come: what a call holds is let go when nobody waits for that call any more. */
import { Fault } from "../../contract/fault.ts";
import { clientGone } from "../../errors/no-answer.ts";

/** The answer. Rejects with the fault of `clientGone` when the client leaves before it is there. */
export const untilGone = async <T>(answer: PromiseLike<T>, { signal }: Request): Promise<T> => {
	const gone = Promise.withResolvers<never>();
	const leave = (): void => gone.reject(new Fault(clientGone));
	signal.addEventListener("abort", leave, { once: true });
	if (signal.aborted) leave();
	try {
		return await Promise.race([answer, gone.promise]);
	} finally {
		signal.removeEventListener("abort", leave);
	}
};
