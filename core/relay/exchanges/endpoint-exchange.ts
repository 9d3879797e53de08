/** The exchange of an endpoint: bytes where the upstream speaks the client's dialect, else by way of the endpoint's own terms. */
import type { EndpointRouted } from "../../contract/call.ts";
import type { EncodedResponse } from "../../contract/client-side.ts";
import type { Dialect, Endpoint, EndpointAsk } from "../../contract/endpoint.ts";
import { deny, Fault } from "../../contract/fault.ts";
import type { Target, Upstream } from "../../contract/upstream.ts";
import type { UpstreamMessage } from "../../contract/upstream-side.ts";
import { isRecord } from "../../neutral/json.ts";
import type { Loss } from "../../neutral/model.ts";
import type { Usage } from "../../neutral/response.ts";
import { replacePart } from "../../wire/form.ts";
import { editJsonBody, readJsonBody } from "../../wire/json-body.ts";
import type { Exchange } from "../call/exchange.ts";
import { createPass, createRecast } from "./endpoint-stream.ts";
import { type Came, createGathering, type Gathering } from "./gathering.ts";
import { notAnAnswer } from "./not-an-answer.ts";

/**
 * The dialect in which an upstream serves the endpoint: what config says, else what its protocols bring, the client's own
 * first. Undefined when it does not.
 */
export const dialectAt = (
	{ name, usual, defaults, dialects }: Endpoint,
	upstream: Upstream,
	client?: string,
): Dialect | undefined => {
	const named = upstream.endpoints?.[name];
	const byProtocol = upstream.protocols
		.map((protocol) => defaults[protocol])
		.filter((dialect) => dialect !== undefined);
	const brought = client !== undefined && byProtocol.includes(client) ? client : byProtocol[0];
	const wanted = named === "usual" ? usual : (named ?? brought);
	return dialects.find((dialect) => dialect.name === wanted);
};

/** The client's own bytes, with the name of the target's model. */
const passed = (ask: EndpointAsk, dialect: Dialect, model: string): UpstreamMessage => {
	if (dialect.passthrough) return dialect.passthrough(ask, model);
	const { body, call } = ask;
	const path = dialect.path({ model, stream: call.stream, request: ask });
	if (body.type === "form") {
		const bytes = model === call.model ? body.form.bytes : replacePart(body.form, "model", model);
		return { path, headers: { "content-type": body.form.contentType }, body: bytes };
	}
	const same = body.json.value["model"] === model;
	return {
		path,
		headers: { "content-type": "application/json" },
		body: same ? body.json.bytes : editJsonBody(body.json, { model }),
	};
};

const untranslated = (endpoint: Endpoint, from: Dialect, to: Dialect): Fault =>
	new Fault(
		deny(
			"unsupported",
			`This model's upstream serves ${endpoint.name} in the dialect "${to.name}", which requests of "${from.name}" are not translated to. Ask another model, or call its own route.`,
		),
	);

export interface EndpointExchange extends Exchange {
	/** Further messages of a batch that is too long for one. */
	readonly more: readonly UpstreamMessage[];
	gathering(): Gathering;
	readonly dialect: Dialect;
}

/** An answer may be long, and was read already: nothing in it is too much. */
const anyJson = { depth: Number.POSITIVE_INFINITY, nodes: Number.POSITIVE_INFINITY, repeats: true };

/** An answer may be many megabytes of numbers: where the name stands once as a member, the rest is not walked through. */
const renamed = (bytes: Uint8Array, from: string, to: string): string | Uint8Array => {
	const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const member = Buffer.from(`"model":${JSON.stringify(from)}`);
	const at = whole.indexOf(member);
	if (at === -1 || whole.indexOf('"model"') !== at || whole.lastIndexOf('"model"') !== at)
		return editJsonBody(readJsonBody(bytes, anyJson), { model: to });
	const put = Buffer.from(`"model":${JSON.stringify(to)}`);
	return Buffer.concat([whole.subarray(0, at), put, whole.subarray(at + member.length)]);
};

/** The client's own dialect's answer, with the name of the model that it asked for. */
const passedAnswer = ({ bytes, type }: Came, body: unknown, ask: EndpointAsk, model: string) => {
	const isRenamed = model !== ask.call.model && isRecord(body) && body["model"] === model;
	return {
		body: isRenamed ? renamed(bytes, model, ask.call.model) : bytes,
		headers: { "content-type": type || "application/json" },
	};
};

interface Conversion {
	readonly messages: readonly UpstreamMessage[];
	readonly losses: readonly Loss[];
	/** The answers in the client's dialect; absent where they are in it already. */
	answer?(bodies: readonly unknown[], usage: Usage): EncodedResponse;
}

/** The client's dialect, that of the upstream, and the upstream's name for the model. */
interface Ways {
	readonly from: Dialect;
	readonly to: Dialect;
	readonly model: string;
}

const converted = (ask: EndpointAsk, endpoint: Endpoint, { from, to, model }: Ways): Conversion => {
	if (from === to) return { messages: [passed(ask, to, model)], losses: [] };
	const { decodeRequest, encodeAnswer } = from;
	const { encodeRequest, decodeAnswer } = to;
	if (!decodeRequest || !encodeAnswer || !encodeRequest || !decodeAnswer) throw untranslated(endpoint, from, to);
	const asked = decodeRequest(ask);
	return {
		...encodeRequest(asked, model),
		answer: (bodies, usage) => encodeAnswer(decodeAnswer(bodies, asked), ask, usage),
	};
};

export const createEndpointExchange = (
	{ ask, tiers }: Pick<EndpointRouted, "ask" | "tiers">,
	endpoint: Endpoint,
	{ upstream, model }: Target,
): EndpointExchange => {
	const to = dialectAt(endpoint, upstream, ask.dialect);
	const from = endpoint.dialects.find(({ name }) => name === ask.dialect);
	if (!to || !from) throw new Fault(deny("unsupported", `This model's upstream does not serve ${endpoint.name}.`));
	const { messages, losses, answer } = converted(ask, endpoint, { from, to, model });
	const [message, ...more] = messages;
	if (!message)
		throw new Fault(deny("invalid_request", "The request holds nothing to work on; send at least one input."));

	const gathering = (): Gathering =>
		createGathering({
			ask,
			dialect: to,
			messages,
			passes: answer === undefined,
			answer: (bodies, last, usage) => answer?.(bodies, usage) ?? passedAnswer(last, bodies[0], ask, model),
		});

	const recast = to === from ? to.recast?.(ask) : undefined;
	return {
		message,
		more,
		losses,
		tiers: to === from ? tiers : [],
		dialect: to,
		passes: to === from,
		gathering,
		whole(bytes, type = "application/json") {
			const one = gathering();
			one.take(bytes, type);
			return one.end();
		},
		wholeAsStream: () => {
			throw notAnAnswer("a stream of events");
		},
		...(recast && { streamsAs: recast.type }),
		stream: (isEvents) => (isEvents && recast ? createRecast(to, ask, recast) : createPass(to, ask, model, isEvents)),
		streamAsWhole: () => {
			throw notAnAnswer("JSON");
		},
		error: (status, headers, text) => to.decodeError(status, headers, text),
	};
};
