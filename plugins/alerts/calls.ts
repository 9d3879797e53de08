/** What finished calls tell: an upstream that refuses Portico's key, a model that nobody has a price for. */
import { type AttemptRecord, type CallRecord, definedOnly, isEmptyAccount } from "#core";
import { type Alert, keyRefused } from "./service.ts";

const dayMs = 86_400_000;

/** The answer speaks of the key or of its account. */
const refusesKey = ({ status, code, message }: AttemptRecord): boolean =>
	status === 401 || status === 402 || status === 403 || (code !== undefined && isEmptyAccount(code, message));

const priceUnknown = (model: string, upstream: string | undefined, call: CallRecord): Alert => ({
	event: "price.unknown",
	about: `${upstream ?? ""} ${model}`,
	quietMs: dayMs,
	data: {
		message: `No price is known for ${model}: set one under prices in the config file. Until then its calls are ${upstream === undefined ? "refused to tokens with a quota" : "not charged"}.`,
		model,
		upstream,
		call: call.id,
		token: call.token?.id,
	},
});

const none: readonly never[] = [];

const pricesOf = (call: CallRecord): readonly Alert[] => {
	const { usage, target, denial } = call.outcome;
	if (denial?.code === "model_not_priced") return [priceUnknown(call.model ?? "a model", undefined, call)];
	if (usage === undefined || target === undefined || call.charge === undefined) return none;
	return call.charge.charged === undefined ? [priceUnknown(target.model, target.upstream.name, call)] : none;
};

export const alertsOf = (call: CallRecord): readonly Alert[] => {
	const prices = pricesOf(call);
	const { attempts, leftOut = none } = call;
	if (!attempts.some(refusesKey) && !leftOut.some(refusesKey)) return prices;
	const refused = [...attempts, ...leftOut].filter(refusesKey);
	return [
		...refused.map(({ upstream, key, status, message: said }) =>
			keyRefused(upstream, definedOnly({ key, status, said })),
		),
		...prices,
	];
};
