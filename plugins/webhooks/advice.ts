/** What an operator can do about a callback that is dead, by what its last attempt met. */
import type { DeliveryView } from "./service.ts";

const byError: readonly (readonly [pattern: RegExp, advice: string])[] = [
	[/^http_(401|403)$/, "The receiver refuses the callback: let it in there, or check its signature's secret."],
	[
		/^http_(404|405|410)$/,
		"The receiver has nothing at this address: put it back there, and name the right address in requests for further tasks.",
	],
	[
		/^http_3/,
		"The receiver sends callbacks elsewhere, which is not followed: let it take them here, and name the last address in requests for further tasks.",
	],
	[/^http_2/, "Only 200 counts as delivered: let the receiver answer that, or set webhooks.success to 2xx."],
	[/^http_/, "The receiver fails: mend it there."],
	[/^timeout$/, "The receiver does not answer within its time: answer 200 first, work afterwards."],
	[
		/^tls_error$/,
		"The receiver's certificate is not accepted: it has expired, is for another name, or comes without those between it and an authority that is known. Mend it there.",
	],
	[/^ssrf_blocked$/, "The address is private: allow it by webhooks.allowPrivateNetworks, or name a public one."],
	[
		/^dns/,
		"The receiver's name leads to no public address: correct it, or allow private ones by webhooks.allowPrivateNetworks.",
	],
	[/^connection_|^network_/, "Nothing answers at the address: start the receiver, or correct the address."],
];

/** Undefined for one that is not dead. */
export const adviceOn = ({ id, status, attempts }: DeliveryView): string | undefined => {
	if (status !== "dead") return undefined;
	const error = attempts.at(-1)?.error ?? "";
	const [, mend = "Look at its attempts."] = byError.find(([pattern]) => pattern.test(error)) ?? [];
	return `${mend} Then send it again, to the same address: portico deliveries redeliver ${id}.`;
};
