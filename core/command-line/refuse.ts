/** How a command of the core's own says that it does not do what it was asked. */
import { deny, Fault } from "../contract/fault.ts";

/** Throws the `Fault` whose message the command ends with. */
export const refuse = (message: string): never => {
	throw new Fault(deny("invalid_request", message));
};
