/** Reads a call of a protocol: from its body to where it may go. */
import type { ModelRouted } from "../contract/call.ts";
import type { ModelAsk, Protocol } from "../contract/protocol.ts";
import type { Plan } from "../contract/router.ts";
import { readBody } from "../wire/body.ts";
import { isPending } from "../wire/pending.ts";
import type { Entry, ReadingOptions } from "./reading.ts";
import { requestOf, routedOf } from "./routed.ts";
import { readWithoutSteering } from "./steering.ts";

/** Of the targets those that can read what the request holds; all of them where none can, which is refused when one is tried. */
const readableBy = ({ onlyProtocol, protocol }: ModelAsk, plan: Plan): Plan => {
	if (!onlyProtocol) return plan;
	const [first, ...rest] = plan.targets.filter(({ upstream }) => upstream.protocols.includes(protocol.name));
	return first ? { ...plan, targets: [first, ...rest] } : plan;
};

export const readModel = (protocol: Protocol, options: ReadingOptions): Entry => {
	const { pace, bodyLimitBytes, planFor } = options;
	return {
		protocol: protocol.name,
		async read(call, found): Promise<{ readonly routed: ModelRouted; readonly plan: Plan }> {
			const bytes = await readBody(call.request, bodyLimitBytes, call.held, pace);
			const { body, steered } = readWithoutSteering(bytes, protocol.facts.steering, call, options);
			const request = requestOf(call, body);
			const model = protocol.client.read(request);
			found(model);
			const ask: ModelAsk = Object.assign(request, { protocol, call: model, ...(steered && { steered }) });
			const loaded = protocol.conversations?.load(ask, call.token, call.held) ?? ask;
			const asked = isPending(loaded) ? await loaded : loaded;
			const plan = readableBy(asked, planFor(asked.call));
			return { routed: routedOf(call, asked, plan), plan };
		},
	};
};
