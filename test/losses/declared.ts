/** Every loss that the published requests can meet on their way to a model: one request for each, of a client of each other protocol. */
import type { Protocol, WireRecord } from "#core";
import type { ProtocolName } from "../support/recordings.ts";
import { carry } from "./account.ts";
import { publishedFields } from "./published.ts";

/** A request, and all that its client is to be told of each way that it may go. */
export interface DeclaredLoss {
	readonly client: ProtocolName;
	readonly body: WireRecord;
	readonly to: readonly { readonly upstream: ProtocolName; readonly model: string; readonly told: readonly string[] }[];
}

/** Models that differ in what they take. */
export const lossyModels: Readonly<Record<ProtocolName, readonly string[]>> = {
	"chat-completions": ["mistral-large-latest", "gpt-4.1"],
	responses: ["gpt-5.1"],
	messages: ["claude-sonnet-4-5", "claude-opus-4-7"],
	"generate-content": ["gemini-2.5-pro", "gemini-3-pro-preview"],
};

/** The same loss at whatever index it stands, and whichever model of the protocol meets it. */
export const lossKey = (client: ProtocolName, upstream: ProtocolName, path: string): string =>
	`${client} to ${upstream}: ${path.replace(/\[\d+\]/g, "[]")}`;

/** Requests that between them meet every loss there is. */
export const declaredLosses = (protocols: ReadonlyMap<ProtocolName, Protocol>): readonly DeclaredLoss[] => {
	const seen = new Set<string>();
	const found: DeclaredLoss[] = [];
	for (const [name, client] of protocols) {
		const ways = [...protocols].flatMap(([upstream, to]) =>
			upstream === name ? [] : lossyModels[upstream].map((model) => ({ upstream, to, model })),
		);
		for (const { body } of publishedFields(name)) {
			const { model: _, ...request } = body;
			const met = ways.flatMap(({ upstream, to, model }) => {
				const carried = carry(client, to, model, body);
				if (carried === "refused") return [];
				const keys = carried.lost.map((path) => lossKey(name, upstream, path));
				if (keys.every((key) => seen.has(key))) return [];
				for (const key of keys) seen.add(key);
				return [{ upstream, model, told: carried.lost }];
			});
			if (met.length > 0) found.push({ client: name, body: request, to: met });
		}
	}
	return found;
};
