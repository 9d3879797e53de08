/** What an order may say whatever its kind: names that can stand in addresses, and details that are not too long to keep. */
import { type Denial, Fault } from "#core";
import type { TaskOrder } from "./service.ts";

const longestDetails = 16_000;

const refuse = (denial: Denial): never => {
	throw new Fault(denial);
};

/** Names go into the log, the table and addresses of upstreams. */
const checkNames = ({ model, action }: TaskOrder): void => {
	if (!/^[\w./:@+ -]{1,200}$/.test(model))
		refuse({
			kind: "invalid_request",
			parameter: "model",
			message: "The model's name must be 1 to 200 letters, digits and ./:@+- marks.",
		});
	if (/(?:^|\/)\.\.?(?:\/|$)/.test(model))
		refuse({
			kind: "invalid_request",
			parameter: "model",
			message: "The model's name must not contain `.` or `..` between slashes.",
		});
	if (!/^[A-Z][A-Z_]{0,31}$/.test(action))
		refuse({
			kind: "invalid_request",
			parameter: "action",
			message: "The action must be a word like IMAGINE or TEXT_TO_VIDEO.",
		});
};

/** Kept for as long as the task, and shown in every list. */
const checkDetails = ({ details }: TaskOrder): void => {
	if (JSON.stringify(details).length > longestDetails)
		refuse({
			kind: "invalid_request",
			message: `Sizes, titles, tags and the like are longer than ${longestDetails} characters together; send less.`,
		});
};

/** Throws `Fault` for an order that cannot be taken on as it is. */
export const checkOrder = (order: TaskOrder): void => {
	checkNames(order);
	checkDetails(order);
};
