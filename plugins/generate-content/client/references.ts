/** Files, caches, stores and servers that a request names, of the upstream's account or network. Nothing of that kind is kept here. */
import {
	type Conversations,
	deny,
	findReference,
	leadsInside,
	leadsToOwnServer,
	type ReferenceFields,
	referenceDenial,
} from "#core";
import { bothSpellings, field } from "../fields.ts";

/** In small letters too, as those of another spelling are looked for. */
const anySpelling = (...names: readonly string[]): ReadonlySet<string> =>
	new Set([...bothSpellings(...names), ...names.map((name) => name.toLowerCase())]);

const fields: ReferenceFields = {
	ids: anySpelling(
		"cachedContent",
		"fileSearchStoreNames",
		"datastore",
		"engine",
		"ragCorpus",
		"ragCorpora",
		"ragFileIds",
		"outputUriPrefix",
		"interactionId",
		"previousInteractionId",
		"promptTemplateName",
		"responseTemplateName",
	),
	addresses: anySpelling("fileUri"),
	// Without a scheme it is the name of a file: `files/…`.
	leads: (address) => !/^https?:/i.test(address) || leadsInside(address),
	opaque: bothSpellings("args", "response", "functionDeclarations", "generationConfig", "inlineData", "labels"),
};

/** The upstream shows its own account to the server: by a service account of it, or the one that Google made for it. */
const byOwnAccount = /service_account/i;

/**
 * Servers of tools: of MCP, and of searches (Vertex AI's `externalApi`). What they are shown to be let in may be the client's,
 * not a secret that the account keeps.
 */
const servers: ReferenceFields = {
	...fields,
	ids: anySpelling("apiKeySecret", "apiKeySecretVersion", "credentialSecret", "serviceAccount"),
	addresses: anySpelling("url", "endpoint", "authType"),
	leads: (value, field) => (/^auth_?type$/i.test(field) ? byOwnAccount.test(value) : leadsToOwnServer(value)),
};

const noContinuation = deny(
	"unsupported",
	"continuationToken: only the model that broke off can go on from it, and this one runs elsewhere; send what it said as a turn of the model, or ask anew.",
	{ parameter: "continuationToken" },
);

/**
 * Sends requests with such an id to upstreams alone whose account is the token's, and those that go on with an answer to
 * upstreams that speak this protocol: any other would begin anew. Nothing is kept.
 */
export const references: Conversations = {
	load(ask) {
		const { value } = ask.body;
		const found = findReference(value, fields, "") ?? findReference(value["tools"], servers, "tools");
		const goesOn = field(value, "continuationToken") !== undefined;
		if (!found && !goesOn) return ask;
		return {
			...ask,
			...(found && { onlyUpstream: referenceDenial(found) }),
			...(goesOn && { onlyProtocol: noContinuation }),
		};
	},
};
