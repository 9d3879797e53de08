/** Whether a field of a client's request reaches an upstream of another protocol, or the client is told that it does not. */
import { isDeepStrictEqual } from "node:util";
import { familyOf, isFault, normalizeRequest, type Protocol, type WireRecord, wordLosses } from "#core";
import { capabilitiesOf } from "../../plugins/router/service.ts";
import { askOf } from "../matrix/ask.ts";
import type { ProtocolName } from "../support/recordings.ts";
import type { FieldCase } from "./schema-walk.ts";

/** What becomes of a field: `silent` is what must not be. */
export type Account = "carried" | "told" | "refused" | "silent";

const pathsOf: Readonly<Record<ProtocolName, string>> = {
	"chat-completions": "/v1/chat/completions",
	responses: "/v1/responses",
	messages: "/v1/messages",
	"generate-content": "/v1beta/models/m:generateContent",
};

interface Carried {
	readonly body: unknown;
	readonly lost: readonly string[];
}

export const carry = (client: Protocol, upstream: Protocol, model: string, body: WireRecord): Carried | "refused" => {
	try {
		const ask = askOf(client, pathsOf[client.name as ProtocolName], body);
		const { request, losses } = normalizeRequest(client.client.decodeRequest(ask));
		const context = { model, family: familyOf(model), capabilities: capabilitiesOf(model) };
		const encoded = upstream.upstream.encodeRequest(request, context);
		const told = wordLosses([...losses, ...encoded.losses], request, upstream.name, client.client.lossWords);
		return { body: JSON.parse(JSON.stringify(encoded.body)), lost: told.map(({ path }) => path) };
	} catch (error) {
		if (!isFault(error)) throw error;
		return "refused";
	}
};

/** True when the place is told of, something that holds it, or something in it. */
const tells = (told: string, path: string): boolean => {
	const names = path.replace(/\[\d+\]/g, "").split(".");
	const last = told.split(".").at(-1) ?? "";
	return (
		path.startsWith(told) ||
		told.startsWith(path) ||
		names.includes(/\[/.test(told) ? "" : last) ||
		last === names.at(-1)
	);
};

/** What becomes of the field on its way to the model. */
export const account = (client: Protocol, upstream: Protocol, model: string, field: FieldCase): Account => {
	const without = carry(client, upstream, model, field.base);
	const with_ = carry(client, upstream, model, field.body);
	if (with_ === "refused") return "refused";
	if (with_.lost.some((told) => tells(told, field.path))) return "told";
	if (without === "refused" || !isDeepStrictEqual(without.body, with_.body)) return "carried";
	return "silent";
};
