/** `/admin/models/explain`: where a call would go and whether its token would be let through, without asking anybody. */
import {
	type AccessToken,
	asRecord,
	type Denial,
	deny,
	Fault,
	firstRefusal,
	type Identified,
	invalidParameter,
	type Log,
	type Operated,
	type Policy,
	type Route,
	readJson,
	t,
} from "#core";
import type { TokenOwnership } from "../tokens/service.ts";
import type { Routing } from "./routing.ts";

interface ExplainOptions {
	readonly routing: Routing;
	readonly policies: () => readonly Policy[];
	readonly tokens: TokenOwnership | undefined;
	readonly log: Log;
}

interface Question {
	readonly model: string;
	readonly token?: string | undefined;
	readonly affinity?: string | undefined;
}

const text = t.String({ minLength: 1, maxLength: 256 });
const body = t.Object(
	{ model: text, token: t.Optional(text), affinity: t.Optional(text) },
	{ additionalProperties: false },
);

const absent = (what: string): Fault => new Fault(deny("not_found", what));

/** Rules may word their refusal by the client's protocol; here no client asks. */
const anyProtocol = "chat-completions";

/** What the rules say that need no body, one that fails as at a call; what is held or counted only by a call is not asked. */
const verdicts = async (
	{ policies, routing, log }: ExplainOptions,
	call: Operated,
	token: AccessToken,
	model: string,
): Promise<readonly { readonly policy: string; readonly denial?: Denial }[]> => {
	const info = routing.model(model);
	const identified: Identified = { ...call, token, caller: token.owner?.id ?? token.id };
	const asked = policies().map(async (policy) => {
		const setting = policy.setting && token.compiled.get(policy.setting.key);
		const refusal = (ask: () => ReturnType<NonNullable<Policy["admit"]>>) =>
			firstRefusal([{ policy, setting }], ask, identified, log);
		const denial =
			(await refusal(() =>
				info && policy.shows?.(info, setting) === false
					? deny("model_not_found", `The token may not use the model "${model}".`)
					: policy.admit?.(identified, setting),
			)) ?? (await refusal(() => policy.beforeBody?.(identified, setting, anyProtocol)));
		return { policy: policy.name, ...(denial && { denial }) };
	});
	return await Promise.all(asked);
};

const tokenView = async (options: ExplainOptions, call: Operated, idOrName: string, model: string) => {
	const found = await options.tokens?.find(idOrName);
	if (!found) throw absent(`There is no token "${idOrName.slice(0, 64)}", or several of that name: send its id.`);
	if (!("compiled" in found)) return { ...found.refused, admitted: false, policies: [], denial: found.denial };
	const said = await verdicts(options, call, found, model);
	const used = await Promise.all(
		options
			.policies()
			.map(async ({ setting }) => await setting?.view?.(found.id, found.settings[setting.key], found.owner)),
	);
	return {
		id: found.id,
		name: found.name,
		admitted: said.every(({ denial }) => denial === undefined),
		policies: said,
		...Object.assign({}, ...used.map(asRecord)),
	};
};

export const explainRoutes = (options: ExplainOptions): readonly Route[] => {
	const { routing } = options;
	const explain = async (call: Operated, { model, token, affinity }: Question): Promise<Response> => {
		const plan = routing.explain(model, affinity);
		if (!plan) throw absent(`No model "${model.slice(0, 128)}" is configured, and no pattern matches it.`);
		const states = new Map(routing.states().map((state) => [state.upstream, state]));
		return Response.json({
			model,
			matched: plan.pattern,
			translation: plan.translation,
			targets: plan.targets.map((target, index) => {
				const { upstream: _, ...state } = states.get(target.upstream.name) ?? {};
				const { upstream } = target;
				return {
					upstream: upstream.name,
					model: target.model,
					protocols: upstream.protocols,
					why: plan.why?.[index],
					...state,
				};
			}),
			skipped: plan.passedOver ?? [],
			...(token !== undefined && { token: await tokenView(options, call, token, model) }),
		});
	};
	const base = {
		path: "/admin/models/explain",
		access: "admin",
		summary: "Where a call for a model would go now, and whether a token would be let through; asks no upstream.",
	} as const;
	return [
		{
			...base,
			method: "GET",
			query: ["model", "token", "affinity"],
			handle: (call: Operated) => {
				const query = call.url.searchParams;
				const said = (name: string): string | undefined => query.get(name) ?? undefined;
				const model = said("model");
				if (model === undefined) throw invalidParameter("model", "Send the model's name as model.");
				return explain(call, { model, token: said("token"), affinity: said("affinity") });
			},
		},
		{
			...base,
			method: "POST",
			body,
			handle: async (call: Operated) => await explain(call, await readJson(call.request, body)),
		},
	];
};
