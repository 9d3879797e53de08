/** An upstream's own TLS: a certificate authority of one's own, and a certificate to be known by. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { describe, type Static, t } from "#core";

const pem = (description: string, secret = false) => t.Optional(t.String({ minLength: 1, secret, description }));

export const tlsSetting = t.Object(
	{
		ca: pem("Authorities whose certificates are believed, in PEM, instead of those that are public."),
		cert: pem("The certificate that Portico shows there, and what it rests on, in PEM."),
		key: pem("The key of `cert`, in PEM.", true),
	},
	{
		additionalProperties: false,
		minProperties: 1,
		description: `How it is believed and how Portico is known there, over https: texts in PEM, such as \${file:inner-ca.pem}.`,
	},
);

const hint = `write \${file:PATH} for what a file holds`;

/** Each certificate of a text that may hold several; the text itself where it holds none. */
const certificatesIn = (text: string): readonly string[] => {
	const found = text.split(/(?=-----BEGIN )/).filter((part) => part.startsWith("-----BEGIN CERTIFICATE-----"));
	return found.length > 0 ? found : [text];
};

type TlsSetting = Static<typeof tlsSetting>;

const complaintOf = (url: string, { ca, cert, key }: TlsSetting): string | undefined => {
	if (!url.startsWith("https:"))
		return `tls is of no use at ${new URL(url).protocol}//; its url must begin with https://`;
	if ((cert === undefined) !== (key === undefined))
		return "tls needs cert and key together: the one proves nothing without the other";
	try {
		for (const text of [ca, cert])
			if (text !== undefined) for (const certificate of certificatesIn(text)) new X509Certificate(certificate);
	} catch (error) {
		return `tls holds a text that is no certificate in PEM (${describe(error)}); ${hint}`;
	}
	try {
		if (cert === undefined || key === undefined) return undefined;
		return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
			? undefined
			: "the key of tls is not that of its cert";
	} catch (error) {
		return `the key of tls is none in PEM (${describe(error)}); ${hint}`;
	}
};

interface Secured {
	readonly name: string;
	readonly url: string;
	readonly tls?: TlsSetting;
}

/** What is wrong with the `tls` of upstreams, each in a sentence. */
export const tlsComplaints = (upstreams: readonly Secured[]): readonly string[] =>
	upstreams.flatMap(({ name, url, tls }) => {
		const complaint = tls && complaintOf(url, tls);
		return complaint === undefined ? [] : [`the upstream "${name}": ${complaint}`];
	});

/** Since when none of the certificates of a text is good any more; undefined where one is, or the text holds none. */
const overSince = (text: string, now: number): string | undefined => {
	const ends = certificatesIn(text).map((certificate) => Date.parse(new X509Certificate(certificate).validTo));
	const last = Math.max(...ends);
	return last <= now ? new Date(last).toISOString() : undefined;
};

/** What Portico shows there begins with its own certificate; those that it rests on follow. */
export const shownOverSince = ({ cert }: TlsSetting, now: number): string | undefined =>
	cert === undefined ? undefined : overSince(certificatesIn(cert)[0] ?? cert, now);

/** Certificates that have run out: an upstream says nothing of it, it only closes the connection. */
export const tlsWarnings = (upstreams: readonly Secured[], now: number): readonly string[] =>
	upstreams.flatMap(({ name, url, tls }) => {
		if (!tls || complaintOf(url, tls) !== undefined) return [];
		const shown = shownOverSince(tls, now);
		const believed = tls.ca === undefined ? undefined : overSince(tls.ca, now);
		return [
			...(shown ? [`router: the upstream "${name}" is shown a certificate (tls.cert) that ran out on ${shown}`] : []),
			...(believed ? [`router: the upstream "${name}" has no authority (tls.ca) since ${believed}: all ran out`] : []),
		];
	});
