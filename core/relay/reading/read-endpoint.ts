/** Reads a call of an endpoint: from its body to the targets that can serve it. */
import type { EndpointRouted, Identified } from "../../contract/call.ts";
import type {
	Dialect,
	Endpoint,
	EndpointAsk,
	EndpointBody,
	EndpointCall,
	EndpointRequest,
} from "../../contract/endpoint.ts";
import { deny, Fault } from "../../contract/fault.ts";
import type { ModelCall } from "../../contract/model-ask.ts";
import type { Plan } from "../../contract/router.ts";
import type { Target } from "../../contract/upstream.ts";
import { unknownModel } from "../../errors/unknown-model.ts";
import type { NeutralRequest } from "../../neutral/request.ts";
import { readBody, readBytes } from "../../wire/body.ts";
import { bytesIn } from "../../wire/endpoint-json.ts";
import { formText, readForm, withoutParts } from "../../wire/form.ts";
import { formWithDeployment } from "../../wire/openai-paths.ts";
import { referenceDenial } from "../../wire/references.ts";
import { serviceWords } from "../../wire/request-bound.ts";
import { steeringFinder } from "../../wire/steering.ts";
import { isSoundBound } from "../call/sound-amounts.ts";
import { dialectAt } from "../exchanges/endpoint-exchange.ts";
import { showsName } from "../policies/token-rules.ts";
import { namedInside } from "./named-inside.ts";
import { readWithoutSteering, takenOut } from "./read-without-steering.ts";
import type { Entry, ReadingOptions } from "./reading.ts";

interface EndpointReadingOptions extends ReadingOptions {
	/** All endpoints, to name those that a model can do. */
	readonly endpoints: readonly Endpoint[];
}

const isServed = (endpoint: Endpoint, { upstream }: Target): boolean => dialectAt(endpoint, upstream) !== undefined;

type Shared = readonly [Dialect, ...Dialect[]];

/** The dialect of a request at a path that several may share. */
const dialectOf = (shared: Shared, request: EndpointRequest): Dialect =>
	shared.length === 1 ? shared[0] : (shared.find((dialect) => dialect.claims?.(request)) ?? shared[0]);

const cannot = (endpoint: Endpoint, model: string, { targets }: Plan, all: readonly Endpoint[]): Fault => {
	const can = all.filter((one) => targets.some((target) => isServed(one, target))).map(({ name }) => name);
	const instead = can.length === 0 ? "It serves no endpoint besides conversations." : `It serves ${can.join(", ")}.`;
	return new Fault(
		deny("invalid_request", `The model "${model.slice(0, 128)}" does not serve ${endpoint.name}. ${instead}`, {
			code: "unsupported_endpoint",
			parameter: "model",
		}),
	);
};

/** The words of the request as one message of the user, for policies and guards that read prompts. */
const promptOf = (ask: EndpointAsk): NeutralRequest => ({
	protocol: ask.dialect,
	model: ask.call.model,
	stream: ask.call.stream,
	messages: [{ role: "user", blocks: ask.call.texts.map((text) => ({ type: "text", text })) }],
	sampling: {},
	raw: ask.body.type === "json" ? ask.body.json.value : {},
});

/** Said beside what the dialect reads; a speed is here the pace of a voice. */
const tierField = "service_tier";

const tiersOf = (body: EndpointBody): readonly string[] =>
	serviceWords(body.type === "json" ? body.json.value[tierField] : formText(body.form, tierField));

/** What it read. Throws where its types would not allow that: nothing could be held for it. */
const readBy = (dialect: Dialect, request: EndpointRequest, endpoint: Endpoint): EndpointCall => {
	const read = dialect.read(request);
	if (typeof read?.model === "string" && Array.isArray(read.texts) && isSoundBound(read.bound)) return read;
	const dialectName = `the dialect "${dialect.name}" of the endpoint "${endpoint.name}"`;
	throw new TypeError(`${dialectName} read no { model, stream, texts, bound: { inputTokens, outputTokens } }`);
};

/** Those that may be told what the request names. Throws `Fault` where none may. */
const mayBeTold = (endpoint: Endpoint, targets: readonly Target[], ask: EndpointAsk): readonly Target[] => {
	const { body, call, dialect } = ask;
	const inside = body.type === "json" ? namedInside(body.json.value, call.texts) : undefined;
	const denial = inside ? referenceDenial(inside) : call.looksUp;
	if (!denial || targets.length === 0) return targets;
	const able = targets.filter(
		({ upstream }) =>
			upstream.tenancy === "single" || (!inside && dialectAt(endpoint, upstream, dialect)?.name !== dialect),
	);
	if (able.length === 0) throw new Fault(denial);
	return able;
};

/** `shared`: the dialects of one path. */
export const readEndpoint = (endpoint: Endpoint, shared: Shared, options: EndpointReadingOptions): Entry => {
	const { rulesOf, pace, planFor } = options;
	const limit = endpoint.bodyLimitBytes ?? options.bodyLimitBytes;

	const readWhole = shared[0].body === "json" ? readBody : readBytes;

	const finder = steeringFinder(["model", tierField, ...shared.flatMap(({ fields = [] }) => fields)]);

	const bodyOf = (call: Identified, bytes: Uint8Array): Pick<EndpointAsk, "body" | "steered"> => {
		if (shared[0].body === "json") {
			const { body: json, steered } = readWithoutSteering(bytes, finder.find, call, options);
			return { body: { type: "json", json }, ...(steered && { steered }) };
		}
		const sent = readForm(bytes, call.request.headers.get("content-type") ?? "");
		const { form, removed } = withoutParts(formWithDeployment(sent, call.params), finder.steers);
		return { body: { type: "form", form }, ...(removed.length > 0 && { steered: takenOut(removed) }) };
	};

	/** What a model can do is told to those alone who may use it, under its own name or under those it has upstream. */
	const mayUse = (call: Identified, model: string, { targets }: Plan): boolean => {
		const shows = (name: string): boolean => showsName(rulesOf(call.token), name, options.router);
		return shows(model) || targets.every((target) => shows(target.model));
	};

	return {
		protocol: shared[0].name,
		operation: () => endpoint.name,
		body: (call) => readWhole(call.request, limit, call.held, pace),
		read(call, bytes, start) {
			const request = { url: call.url, params: call.params, headers: call.request.headers, ...bodyOf(call, bytes) };
			const dialect = dialectOf(shared, request);
			const read = readBy(dialect, request, endpoint);
			const model: ModelCall = {
				operation: endpoint.name,
				name: read.model,
				stream: read.stream,
				candidates: read.answers ?? 1,
				...(read.affinity !== undefined && { affinity: read.affinity }),
			};
			start.model = model;
			const ask: EndpointAsk = { ...request, dialect: dialect.name, call: read };
			let prompt: NeutralRequest | undefined;
			const asked = Object.assign(call, {
				surface: "endpoint" as const,
				ask,
				model,
				protocol: dialect.name,
				bound: read.bound,
				tiers: tiersOf(ask.body),
				requestBytes: bytesIn(ask),
				prompt() {
					prompt ??= promptOf(ask);
					return prompt;
				},
			});
			const plan = planFor(asked);
			const served = plan.targets.filter((target) => isServed(endpoint, target));
			const [first, ...rest] = mayBeTold(endpoint, served, ask);
			if (!first)
				throw mayUse(call, read.model, plan)
					? cannot(endpoint, read.model, plan, options.endpoints)
					: new Fault(unknownModel(read.model));
			const able: Plan = { ...plan, targets: [first, ...rest] };
			const routed: EndpointRouted = Object.assign(asked, { targets: able.targets });
			return { routed, plan: able };
		},
	};
};
