/** Which addresses a callback may go to: by the text of the URL at submission, by the address that is dialled at each attempt. */
import { type Denial, deny, isInnerHost } from "#core";

export interface AddressRules {
	/** Private, loopback and other special addresses may be called: for tests and closed networks. */
	readonly allowPrivateNetworks: boolean;
	/** Plain http is refused. */
	readonly httpsOnly: boolean;
}

const longest = 2000;

/** Ports of other protocols, which a crafted request could be mistaken by. 80 and 443 apart, callbacks use high ports. */
const isOddPort = (port: string): boolean => port !== "" && port !== "80" && port !== "443" && Number(port) < 1024;

const wrong = (message: string): Denial => deny("invalid_request", message, { code: "invalid_callback_url" });

/** The one answer for every address that is not public, so that nothing can be learnt by trying. */
export const forbidden: Denial = deny(
	"invalid_request",
	"The callback URL is not allowed: it must lead to a public address. Private, loopback and other special addresses are refused.",
	{ code: "callback_url_not_allowed" },
);

const parse = (text: string): URL | undefined => {
	try {
		return new URL(text);
	} catch {
		return undefined;
	}
};

/**
 * The address in one spelling, ready to be stored, or why it is refused. Judged by its text: a name is looked up only
 * at each attempt, because what it means may change in between and because a resolver may be slow.
 */
export const checkAddress = (text: string, rules: AddressRules): { readonly url: string } | Denial => {
	if (text.length > longest) return wrong(`The callback URL is longer than ${longest} characters.`);
	const url = parse(text);
	if (url === undefined)
		return wrong("The callback URL is not an absolute URL; send one like https://example.org/hook.");
	if (url.protocol !== "https:" && url.protocol !== "http:")
		return wrong("The callback URL must begin with https:// or http://.");
	if (rules.httpsOnly && url.protocol === "http:") return wrong("The callback URL must begin with https:// here.");
	if (url.username !== "" || url.password !== "")
		return wrong("The callback URL must not hold a user name or password; callbacks are signed instead.");
	if (url.port === "0") return wrong("The callback URL's port must not be 0.");
	if (!rules.allowPrivateNetworks && isOddPort(url.port))
		return wrong("The callback URL's port must be 80, 443 or 1024 and above.");
	url.hash = "";
	if (rules.allowPrivateNetworks) return { url: url.href };
	return isInnerHost(url.hostname) ? forbidden : { url: url.href };
};
