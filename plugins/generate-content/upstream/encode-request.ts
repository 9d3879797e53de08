/** A neutral request as Gemini's `GenerateContentRequest`. */
import {
	definedOnly,
	type EncodeContext,
	type EncodedRequest,
	Losses,
	lookup,
	type NameRule,
	type NeutralRequest,
	type Setting,
	ToolNames,
	type WireRecord,
} from "#core";
import { resourceName } from "../model-path.ts";
import { protocolName } from "../name.ts";
import { ownExtras } from "../signatures.ts";
import { encodeConfig, spokenFormat } from "./encode-config.ts";
import { encodeContents } from "./encode-contents.ts";
import { encodeTools } from "./encode-tools.ts";

const tiers = lookup<string | undefined>({
	flex: "flex",
	priority: "priority",
	standard: "standard",
	default: "standard",
	auto: undefined,
	unspecified: undefined,
	standard_only: "standard",
});

const encodeTier = (tier: string | undefined, losses: Losses): string | undefined => {
	if (tier === undefined) return undefined;
	if (!Object.hasOwn(tiers, tier)) losses.setting("tier", `Gemini has no tier "${tier.slice(0, 32)}"`);
	return tiers[tier];
};

/** Settings that Gemini has no place for, by their neutral names. */
const noteUnplaced = (request: NeutralRequest, losses: Losses): void => {
	const { identity } = request;
	const given: readonly (readonly [Setting, boolean])[] = [
		["parallelTools", request.parallelTools === false],
		["maxToolCalls", request.maxToolCalls !== undefined],
		["verbosity", request.verbosity !== undefined],
		["user", identity?.user !== undefined],
		["safetyId", identity?.safetyId !== undefined],
		["metadata", identity?.metadata !== undefined],
		["cacheKey", request.cacheKey !== undefined],
		["cacheRetention", request.cacheRetention !== undefined],
		["cacheOptions", request.cacheOptions !== undefined],
		["truncation", request.state?.truncation === "auto"],
		["background", request.state?.background === true],
		["safety", request.protocol !== protocolName && (request.safety?.length ?? 0) > 0],
	];
	for (const [setting, isGiven] of given) if (isGiven) losses.setting(setting, "Gemini has no such setting");
};

/** Fields of a Gemini client's that this plugin does not know, for a Gemini upstream. */
const ownFields = (request: NeutralRequest): WireRecord => {
	const { generationConfig: _, toolConfig: __, ...fields } = ownExtras(request.extras);
	return fields;
};

/** Tokens are counted of a whole request only when it stands in a field of its own, and names its model again. */
const counted = (body: WireRecord, model: string): WireRecord => ({
	generateContentRequest: { model: resourceName(model), ...body },
});

/** Names begin with a letter or `_` and may hold dots and colons. */
const toolNames: NameRule = {
	longest: 64,
	fit(name) {
		const plain = name.replace(/[^\w.:-]/g, "_");
		return /^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`;
	},
};

/** Never refuses: what cannot be said is a loss. */
export const encodeRequest = (request: NeutralRequest, context: EncodeContext): EncodedRequest => {
	const losses = new Losses();
	const names = new ToolNames(request.tools, toolNames);
	const { contents, system } = encodeContents(request, context, names, losses);
	const spoken = spokenFormat(request, context, losses);
	const parts = spoken === undefined ? system : [...system, { text: spoken }];
	noteUnplaced(request, losses);
	const body = {
		...ownFields(request),
		contents,
		...(parts.length > 0 && { systemInstruction: { parts } }),
		...encodeTools(request, context, names, losses),
		...definedOnly({
			generationConfig: encodeConfig(request, context, losses),
			safetySettings: request.protocol === protocolName ? request.safety : undefined,
			serviceTier: encodeTier(request.tier, losses),
		}),
	};
	return {
		body: context.operation === "count_tokens" ? counted(body, context.model) : body,
		losses: losses.list(),
		names: { tools: names.changed },
	};
};
