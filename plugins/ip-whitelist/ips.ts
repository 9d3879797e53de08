/** The token setting `ips`: addresses and networks, compiled once. */
import {
	type Denial,
	deny,
	type Identified,
	type Networks,
	narrowList,
	networksOf,
	readNetwork,
	type TokenSetting,
	t,
} from "#core";

const within = (entry: string, list: readonly string[]): boolean => {
	const network = readNetwork(entry);
	if (!network) return false;
	const wider = list.filter((one) => (readNetwork(one)?.bits ?? Number.POSITIVE_INFINITY) <= network.bits);
	return networksOf(wider).has(network.base.toString());
};

const isList = (value: unknown): value is readonly string[] =>
	Array.isArray(value) && value.every((entry) => typeof entry === "string");

export const ips: TokenSetting<Networks> = {
	key: "ips",
	schema: t.Array(t.String({ minLength: 1, maxLength: 64 }), {
		maxItems: 500,
		description: 'Addresses the token may be used from: "192.0.2.7", "10.0.0.0/8", "2001:db8::/32". Empty: all.',
		form: { label: "Addresses", order: 4 },
	}),
	refuse(value) {
		if (!isList(value)) return 'must be a list of addresses and networks, such as ["10.0.0.0/8", "::1"]';
		const wrong = value.find((entry) => readNetwork(entry) === undefined);
		if (wrong === undefined) return undefined;
		return `has "${wrong.slice(0, 64)}", which is neither an address nor a network; write "192.0.2.7", "10.0.0.0/8" or "2001:db8::/32", without a zone`;
	},
	narrow: (value, limit) => (isList(value) && isList(limit) ? narrowList(value, limit, within) : undefined),
	compile(value) {
		if (!isList(value)) throw new TypeError("ips must be a list of addresses and networks");
		return networksOf(value);
	},
};

/** Refuses an address that is not on the list (an empty one allows everything), and any call whose address is not known. The list is not echoed. */
export const refuseAddress = (call: Identified, allowed: Networks | undefined): Denial | undefined =>
	!allowed || allowed.size === 0 || allowed.has(call.address)
		? undefined
		: deny("permission", "This token may not be used from this address. Ask the operator which addresses it is for.", {
				code: "ip_not_allowed",
			});
