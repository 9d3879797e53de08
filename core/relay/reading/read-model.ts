/** Reads a call of a protocol: from its body to where it may go. */
import type { Identified } from "../../contract/call.ts";
import type { JsonBody } from "../../contract/json-body.ts";
import type { ModelAsk, ModelRequest } from "../../contract/model-ask.ts";
import type { Protocol } from "../../contract/protocol.ts";
import type { Plan } from "../../contract/router.ts";
import type { NeutralRequest } from "../../neutral/request.ts";
import { readBody } from "../../wire/body.ts";
import { refuseCostlyTexts } from "../../wire/json-body.ts";
import { isPending } from "../../wire/pending.ts";
import { readWithoutSteering } from "./read-without-steering.ts";
import type { Entry, Read, ReadingOptions } from "./reading.ts";

/** Of fewer nothing can be made that takes long to read. */
const cheapBytes = 256 * 1024;

/** Its URL is parsed only for protocols that look at it. */
const requestOf = (call: Identified, body: JsonBody): ModelRequest => ({
	params: call.params,
	headers: call.request.headers,
	body,
	get url() {
		return call.url;
	},
});

/** Of the targets those that can read what the request holds; all of them where none can, which is refused when one is tried. */
const readableBy = ({ protocol }: ModelAsk, plan: Plan): Plan => {
	const [first, ...rest] = plan.targets.filter(({ upstream }) => upstream.protocols.includes(protocol.name));
	return first ? { ...plan, targets: [first, ...rest] } : plan;
};

export const readModel = (protocol: Protocol, options: ReadingOptions): Entry => {
	const { pace, bodyLimitBytes, planFor } = options;

	/**
	 * The call as the phases after reading see it: the same object, from now on knowing more, for a copy would work out what
	 * was left to be worked out when asked for.
	 */
	const routed = (call: Identified, loaded: ModelAsk): Read => {
		const ask = Object.assign(loaded, { protocol });
		let decoded: NeutralRequest | undefined;
		const asked = Object.assign(call, {
			surface: "model" as const,
			ask,
			model: ask.call,
			protocol: protocol.name,
			requestBytes: ask.body.bytes.length,
			prompt() {
				if (decoded === undefined && ask.body.bytes.length > cheapBytes) refuseCostlyTexts(ask.body.value);
				decoded ??= protocol.client.decodeRequest(ask);
				return decoded;
			},
		});
		const all = planFor(asked);
		const plan = ask.onlyProtocol ? readableBy(ask, all) : all;
		return { routed: Object.assign(asked, { targets: plan.targets }), plan };
	};

	const routedLater = async (call: Identified, loading: Promise<ModelAsk>): Promise<Read> =>
		routed(call, await loading);

	return {
		protocol: protocol.name,
		operation: ({ url }) => protocol.client.operationAt?.(url.pathname) ?? "generate",
		body: (call) => readBody(call.request, bodyLimitBytes, call.held, pace),
		read(call, bytes, start) {
			const { body, steered } = readWithoutSteering(bytes, protocol.facts.steering, call, options);
			const request = requestOf(call, body);
			const told = protocol.client.read(request);
			// A session that the body does not name may stand in a header, which clients of any protocol may send.
			const affinity = told.affinity ?? request.headers.get("x-session-affinity");
			const model = affinity === null || affinity === told.affinity ? told : { ...told, affinity };
			start.model = model;
			const ask: ModelAsk = Object.assign(
				request,
				steered ? { protocol, call: model, steered } : { protocol, call: model },
			);
			const loaded = protocol.conversations?.load(ask, call.token, call.held) ?? ask;
			return isPending(loaded) ? routedLater(call, loaded) : routed(call, loaded);
		},
	};
};
