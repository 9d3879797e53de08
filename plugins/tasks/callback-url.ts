/** Where a client wants to be called back, by whatever name it says so. */
import { Fault, type WireRecord } from "#core";

/** Portico's own name first, then those of the services whose clients come here. */
export const callbackNames = [
	"notifyHook",
	"notify_hook",
	"callback_url",
	"callbackUrl",
	"callBackUrl",
	"webhook_url",
	"webhookUrl",
];

/**
 * The address as it was sent. `""`, blanks and null mean none: clients that can do without callbacks send the empty
 * string. Throws `Fault` for anything that is not a string.
 */
export const callbackUrlOf = (body: WireRecord): string => {
	for (const name of callbackNames) {
		const value = body[name];
		if (value === undefined || value === null) continue;
		if (typeof value !== "string")
			throw new Fault({
				kind: "invalid_request",
				code: "invalid_callback_url",
				parameter: name,
				message: `"${name}" must be the address to call back, as a string; leave it out for none.`,
			});
		if (value.trim() !== "") return value.trim();
	}
	return "";
};
