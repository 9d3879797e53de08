/** What it means that an upstream gave no answer at all. */
import { type Denial, deny, Fault, isUnsent, lacksSocket, unansweredCode } from "#core";

const denialOf = (name: string, code: string): Denial => {
	if (lacksSocket(code))
		return deny("upstream", `This gateway has no socket left to reach the upstream "${name}" by. Ask again.`);
	if (isUnsent(code))
		return deny(
			"upstream",
			`The upstream "${name}" could not be reached. Ask again, or ask the operator to check its address.`,
		);
	const message = `The upstream "${name}" closed the connection before it answered. Ask again.`;
	return deny("upstream", message, { code: "upstream_broke_off" });
};

/** The connection failed. */
export const unreachable = (name: string, cause: unknown): Fault =>
	new Fault(denialOf(name, unansweredCode(cause) ?? ""), cause);

/** Its first byte did not come in time. */
export const slow = (name: string, seconds: number): Fault =>
	new Fault(
		deny("upstream_timeout", `The upstream "${name}" did not begin to answer within ${seconds} seconds. Ask again.`),
	);
