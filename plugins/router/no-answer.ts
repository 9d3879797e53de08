/** What it means that an upstream did not begin to answer in time. */
import { deny, Fault } from "#core";

export const slow = (name: string, seconds: number): Fault =>
	new Fault(
		deny("upstream_timeout", `The upstream "${name}" did not begin to answer within ${seconds} seconds. Ask again.`),
	);
