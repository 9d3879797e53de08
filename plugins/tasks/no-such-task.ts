/** A task that there is not, or that is another token's. */
import { Fault } from "#core";

export const noSuchTask = (): Fault =>
	new Fault({ kind: "not_found", code: "task_not_found", message: "There is no task of that id under this token." });
