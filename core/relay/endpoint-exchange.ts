/** The exchange of an endpoint: bytes where the upstream speaks the client's dialect, else by way of the endpoint's own terms. */
import type { EndpointRouted } from "../contract/call.ts";
import type { Dialect, Endpoint, EndpointAsk } from "../contract/endpoint.ts";
import { type Denial, deny, Fault } from "../contract/fault.ts";
import type { EncodedResponse, Observation, UpstreamMessage } from "../contract/protocol.ts";
import type { Target, Upstream } from "../contract/router.ts";
import { bytesPerToken, estimateTextTokens } from "../neutral/estimate.ts";
import { isRecord, parseJson } from "../neutral/json.ts";
import type { Loss } from "../neutral/model.ts";
import { addUsage, type Usage } from "../neutral/response.ts";
import { replacePart } from "../wire/form.ts";
import { editJsonBody, readJsonBody } from "../wire/json-body.ts";
import { failureIn } from "./endpoint-failure.ts";
import { createPass, createRecast } from "./endpoint-stream.ts";
import type { Exchange, MaybeLater, WholeAnswer } from "./exchange.ts";
import { outlineOf } from "./outline.ts";
import { notAnAnswer } from "./translation.ts";

const utf8 = new TextDecoder();

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

const whole = (usage: Usage, contentBytes: number): Observation => ({
	usage,
	usageIsTotal: true,
	finished: true,
	pieces: 1,
	contentBytes,
});

const encoded = ({ body, headers }: EncodedResponse, seen: Observation): WholeAnswer => ({
	body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
	...(headers && { headers }),
	seen,
});

/** What passes on as bytes is looked at for its use only: from here on not at its vectors. */
const long = 256 * 1024;

/** The JSON of an answer, or its bytes where it is none. What another dialect's says is read whatever it is called. */
const readAnswer = (bytes: Uint8Array, type: string, passes: boolean): unknown => {
	const isJson = type.includes("json");
	if (passes && !isJson) return bytes;
	const body = parseJson(utf8.decode(passes && bytes.length > long ? outlineOf(bytes) : bytes));
	if (body === undefined && isJson) throw notAnAnswer("JSON");
	return body ?? bytes;
};

/** Several answers on their way to be one. */
export interface Gathering {
	take(bytes: Uint8Array, type: string): void;
	/** What the answers so far say they used, and the failure among them. */
	seen(): Observation;
	/** One of them was a failure: of what comes after it nothing is asked. */
	failed(): boolean;
	end(): MaybeLater<WholeAnswer>;
}

export interface EndpointExchange extends Exchange {
	/** Further messages of a batch that is too long for one. */
	readonly more: readonly UpstreamMessage[];
	gathering(): Gathering;
	readonly dialect: Dialect;
}

/** What a call used whose upstream does not say: the tokens of what it sent, and of the answer as many as it can have. */
const estimated = (ask: EndpointAsk, dialect: Dialect, bytes: number): Usage => {
	const said = dialect.estimate?.(ask);
	if (said) return { ...said, estimated: true };
	const { texts, otherTokens = 0, bound } = ask.call;
	const total = texts.reduce((sum, text) => sum + estimateTextTokens(text), otherTokens);
	const written = Math.min(bound.outputTokens, Math.ceil(bytes / bytesPerToken));
	return { input: { total }, output: { total: written }, estimated: true };
};

/** An answer may be long, and was read already: nothing in it is too much. */
const anyJson = { depth: Number.POSITIVE_INFINITY, nodes: Number.POSITIVE_INFINITY };

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

/** An answer as it came: its bytes, and their media type. */
interface Came {
	readonly bytes: Uint8Array;
	readonly type: string;
}

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
	{ ask }: Pick<EndpointRouted, "ask">,
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

	const gathering = (): Gathering => {
		const bodies: unknown[] = [];
		let size = 0;
		let told: Usage | undefined;
		let isTold = true;
		let last: Came = { bytes: new Uint8Array(0), type: "" };
		let failure: Denial | undefined;
		const usage = (): Usage => (isTold && told ? told : estimated(ask, to, size));
		/** What was answered before it is used. */
		const failedAs = (error: Denial): Observation => ({
			...(bodies.length > 0 && { usage: usage(), usageIsTotal: true }),
			finished: false,
			pieces: 0,
			contentBytes: 0,
			error,
		});
		return {
			take(bytes, type) {
				const body = readAnswer(bytes, type, answer === undefined);
				failure = failureIn(body);
				if (failure) return;
				const used = to.observe(body instanceof Uint8Array ? undefined : body, ask, bytes.length);
				if (used) told = told ? addUsage(told, used) : used;
				else isTold = false;
				bodies.push(body);
				size += bytes.length;
				last = { bytes, type };
			},
			// Of what is not the whole answer, no contents are told: its use is all that there is.
			seen: () => (failure ? failedAs(failure) : whole(usage(), 0)),
			failed: () => failure !== undefined,
			end() {
				if (failure) return { body: "", seen: failedAs(failure) };
				const seen = whole(usage(), size);
				if (answer) return encoded(answer(bodies, usage()), seen);
				return { ...passedAnswer(last, bodies[0], ask, model), seen };
			},
		};
	};

	const recast = to === from ? to.recast?.(ask) : undefined;
	return {
		message,
		more,
		losses,
		tiers: [],
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
		stream: (isEvents = true) =>
			isEvents && recast ? createRecast(to, ask, recast) : createPass(to, ask, model, isEvents),
		streamAsWhole: () => {
			throw notAnAnswer("JSON");
		},
		error: (status, headers, text) => to.decodeError(status, headers, text),
	};
};
