/** Fields by which a client would choose for itself where its request goes: found in any spelling that an upstream may take. */
import type { Steering } from "../contract/facts.ts";
import type { JsonBody } from "../contract/json-body.ts";
import { asRecord, isRecord, type WireRecord } from "../neutral/json.ts";

/** Another address, another key: fields of gateways and client libraries, whatever the protocol. */
const addressFields: readonly string[] = (
	"api_base api_key api_version api_type base_url extra_body extra_headers extra_query headers custom_llm_provider " +
	"deployment_id deployment_url organization user_config litellm_params litellm_params_template litellm_credential_name " +
	"vertex_project vertex_location vertex_credentials vertex_ai_project vertex_ai_location vertex_ai_credentials " +
	"aws_profile_name aws_session_name aws_external_id aws_access_key_id aws_secret_access_key aws_session_token " +
	"aws_region_name aws_bedrock_runtime_endpoint aws_sts_endpoint aws_web_identity_token aws_role_name s3_endpoint_url " +
	"sagemaker_base_url azure_ad_token azure_username azure_password client_secret region_name project_id space_id " +
	"oci_compartment_id oci_endpoint_id provider_specific_header " +
	"use_litellm_proxy ssl_verify langfuse_host langsmith_base_url data_sources tensorzero::credentials " +
	"tensorzero::extra_body tensorzero::extra_headers"
).split(" ");

/** Where servers of models (vLLM, SGLang) fetch what another of them has read of a prompt. */
const peerFields: readonly string[] =
	"kv_transfer_params ec_transfer_params bootstrap_host bootstrap_port bootstrap_room".split(" ");

/**
 * A conversation that SGLang keeps for whoever names it, code, pickled, that it runs for whoever sends it, and the id of a request:
 * two of one id at once stop its older versions for everybody, and newer ones refuse the second. Caches of Gemini's, containers and
 * servers of tools of Anthropic's, which LiteLLM reads beside any protocol, and whose owner and price only those protocols look at
 * that know them.
 */
const serverFields: readonly string[] =
	"session_params custom_logit_processor rid cached_content container mcp_servers".split(" ");

/** What LiteLLM keeps for all its callers: an answer under a key that the client names, and what a model costs. */
const keptFields: readonly string[] = (
	"cache_key preset_cache_key input_cost_per_token output_cost_per_token " +
	"input_cost_per_second output_cost_per_second"
).split(" ");

/** Failures that LiteLLM feigns for whoever asks, and times after which it gives up: to all others it would seem to be down. */
const failureFields: readonly string[] = (
	"mock_testing_fallbacks mock_testing_context_fallbacks mock_testing_content_policy_fallbacks " +
	"mock_testing_rate_limit_error mock_timeout mock_response mock_tool_calls timeout request_timeout stream_timeout " +
	"force_timeout"
).split(" ");

/**
 * Another model, a part of one or a provider, also by the tags that LiteLLM goes by, a prompt that is kept there with its
 * model, or more tries than one, at an upstream that has several or is a gateway itself; a dearer way to serve it, at Bedrock.
 */
const choiceFields: readonly string[] = (
	"models model_list route router provider providers provider_options targets preset plugins lora lora_path " +
	"fallback fallbacks fallback_model fallback_models fallback_config context_window_fallbacks content_policy_fallbacks " +
	"context_window_fallback_dict router_settings_override num_retries max_retries retry_policy retry_strategy prompt_id model_id " +
	"performance_config tensorzero::variant_name tensorzero::internal_dynamic_variant_config tensorzero::provider_tools " +
	"compound_custom safety_model tags litellm_metadata"
).split(" ");

/**
 * More output, and more answers, than the protocol's own fields say: llama.cpp's server goes by the first two before any
 * other, and by other protocols' limits, which it reads beside those of its Responses API. `best_of`: answers that are written
 * and neither shown nor counted, of which only text completions know. What LiteLLM does not know as OpenAI's it puts over what it
 * made of OpenAI's: so the limits of other vendors' APIs, Gemini's number of answers among them. By the last two it leaves out
 * the limit that it was given, and TensorZero takes another.
 */
const limitFields: readonly string[] = (
	"n_predict n_cmpl n best_of max_tokens max_completion_tokens max_output_tokens max_new_tokens auto_max_new_tokens " +
	"max_gen_len max_token_count max_tokens_to_sample num_predict candidate_count num_generations num_results " +
	"num_return_sequences additional_drop_params tensorzero::params"
).split(" ");

/** An answer that xAI makes after it was asked, and that nobody here could fetch or charge. */
const laterFields: readonly string[] = ["deferred"];

/** As the most careless reader compares names: Go's takes any case, others take camelCase for snake_case. */
export const foldedName = (name: string): string => name.toUpperCase().toLowerCase().replaceAll(/[_-]/g, "");

/** Finds what steers in bodies whose fields have these names. */
export interface SteeringFinder {
	/** The same of one field of a form: of `a[b]` and `a[]` readers of forms make a field `a`. */
	steers(name: string): boolean;
	find(body: JsonBody, mayUse: (model: string) => boolean): Steering | undefined;
}

/** What a request's tools may name. */
interface ToolRules {
	mayUse(model: string): boolean;
	/** Where a model or a tool was left out: `tools[0].model`. */
	readonly removed: string[];
}

/** What is left of a list, itself where `each` changes nothing; what it makes undefined is left out. */
const changedList = (list: readonly unknown[], each: (item: unknown, index: number) => unknown): readonly unknown[] => {
	const changed = list.map(each);
	return changed.some((item, index) => item !== list[index]) ? changed.filter((item) => item !== undefined) : list;
};

const unlessEmpty = (list: unknown): unknown => (Array.isArray(list) && list.length === 0 ? undefined : list);

/** Whether a hosted tool asks models of its own or of the asked model's choice, at their prices: OpenRouter's and its like. */
export const asksOtherModels = (type: string): boolean => /:(advisor|subagent|fusion)$/i.test(type);

/** Another address or key, which LiteLLM reads from a tool that it runs itself. */
const toolAddresses: ReadonlySet<string> = new Set(["api_base", "api_key", "base_url"].map(foldedName));

/** Fields that decide what a tool is, whom it asks and what it costs. */
const toolFields = "type model tools parameters svg size quality n container environment max_uses".split(" ");
const foldedToolFields: ReadonlySet<string> = new Set(toolFields.map(foldedName));

/** LiteLLM lets those who ask switch off the guards that its operator set for all. */
const guardFields: readonly string[] = ["disable_global_guardrail", "disable_global_guardrails"];

/** What it reads in `metadata` too: these, and tags where they are a list; OpenAI's metadata holds texts alone. */
const steersInMetadata = ([name, value]: readonly [string, unknown]): boolean =>
	guardFields.includes(name) || (name === "tags" && Array.isArray(value));

const steersByMetadata = ({ metadata }: WireRecord): boolean =>
	Object.entries(asRecord(metadata)).some(steersInMetadata);

/** Takes it out, and says so. */
const withoutSteeringMetadata = (metadata: WireRecord, edits: Record<string, unknown>, removed: string[]): void => {
	const fields = Object.entries(metadata);
	const kept = fields.filter((field) => !steersInMetadata(field));
	if (kept.length === fields.length) return;
	edits["metadata"] = kept.length === 0 ? undefined : Object.fromEntries(kept);
	removed.push(...fields.filter(steersInMetadata).map(([name]) => `metadata.${name}`));
};

/** Names that are nearly all of those in tools. */
const usualNames: ReadonlySet<string> = new Set([
	...toolFields,
	..."function name description input_schema strict".split(" "),
]);

/** Whether some upstreams would read it as one of these, and nobody here. */
const isOtherSpelling = (name: string): boolean => !usualNames.has(name) && foldedToolFields.has(foldedName(name));

/** A tool without fields of another spelling; itself where it has none. */
const inUsualSpelling = (tool: WireRecord, path: string, { removed }: ToolRules): WireRecord => {
	const others = Object.keys(tool).filter(isOtherSpelling);
	if (others.length === 0) return tool;
	removed.push(...others.map((name) => `${path}.${name}`));
	return Object.fromEntries(Object.entries(tool).filter(([name]) => !others.includes(name)));
};

/** A tool or its settings without the model that the token may not use, and without addresses; itself where it names neither. */
const withoutSteering = (named: WireRecord, path: string, { mayUse, removed }: ToolRules): WireRecord => {
	const steers = ([name, value]: readonly [string, unknown]): boolean =>
		foldedName(name) === "model" ? typeof value !== "string" || !mayUse(value) : toolAddresses.has(foldedName(name));
	const fields = Object.entries(named);
	const steering = fields.filter(steers);
	if (steering.length === 0) return named;
	removed.push(...steering.map(([name]) => `${path}.${name}`));
	return Object.fromEntries(fields.filter((field) => !steers(field)));
};

/** Where a tool holds settings of its own; OpenAI's pictures say in `svg` who writes them where they are drawings. */
const settings = ["parameters", "svg"] as const;

/** A tool as the token may have it, the tools within it alike; undefined for one that chooses models and is not on its list. */
const permittedTool = (given: unknown, path: string, rules: ToolRules): unknown => {
	if (!isRecord(given)) return given;
	const tool = inUsualSpelling(given, path, rules);
	if (typeof tool["type"] !== "string" || tool["type"] === "function") return tool;
	if (asksOtherModels(tool["type"]) && !rules.mayUse(tool["type"])) {
		rules.removed.push(path);
		return undefined;
	}
	const { tools } = tool;
	const inner = Array.isArray(tools) ? permittedTools(tools, `${path}.tools`, rules) : tools;
	const changed: Record<string, unknown> = inner === tools ? {} : { tools: inner };
	for (const name of settings) {
		const given = tool[name];
		const kept = isRecord(given) ? withoutSteering(given, `${path}.${name}`, rules) : given;
		if (kept !== given) changed[name] = kept;
	}
	const own = withoutSteering(tool, path, rules);
	return Object.keys(changed).length === 0 ? own : { ...own, ...changed };
};

const permittedTools = (tools: readonly unknown[], path: string, rules: ToolRules): readonly unknown[] =>
	changedList(tools, (tool, index) => permittedTool(tool, `${path}[${index}]`, rules));

/** A list of items, of which some bring tools. */
const permittedItems = (items: readonly unknown[], path: string, rules: ToolRules): readonly unknown[] =>
	changedList(items, (item, index) => {
		if (!isRecord(item) || !Array.isArray(item["tools"])) return item;
		const tools = permittedTools(item["tools"], `${path}[${index}].tools`, rules);
		return tools === item["tools"] ? item : { ...item, tools };
	});

/**
 * `exact`: fields of the protocol that decide what is asked and what it costs, in the spellings it takes; another
 * spelling of one of them would be read by some upstreams and by nobody here. `bringers`: lists whose items may have
 * `tools` of their own.
 */
export const steeringFinder = (exact: readonly string[], bringers: readonly string[] = []): SteeringFinder => {
	const known = new Set(exact);
	const forbidden = new Set(
		[
			addressFields,
			peerFields,
			serverFields,
			keptFields,
			failureFields,
			guardFields,
			choiceFields,
			limitFields,
			laterFields,
			exact,
		]
			.flat()
			.map(foldedName),
	);
	const lists = new Map([["tools", permittedTools], ...bringers.map((name) => [name, permittedItems] as const)]);
	const isForbidden = (name: string): boolean => !known.has(name) && forbidden.has(foldedName(name));
	const search = ({ members, value }: JsonBody, mayUse: ToolRules["mayUse"]): Steering | undefined => {
		const edits: Record<string, unknown> = {};
		const rules: ToolRules = { mayUse, removed: [] };
		withoutSteeringMetadata(asRecord(value["metadata"]), edits, rules.removed);
		for (const name of [...members.keys()].filter(isForbidden)) {
			edits[name] = undefined;
			rules.removed.push(name);
		}
		for (const [name, permitted] of lists) {
			const list = value[name];
			const kept = Array.isArray(list) ? permitted(list, name, rules) : list;
			if (kept !== list) edits[name] = unlessEmpty(kept);
		}
		return rules.removed.length === 0 ? undefined : { edits, removed: rules.removed };
	};
	return {
		steers: (name) => !known.has(name) && forbidden.has(foldedName(name.replace(/\[.*$/s, "").trim())),
		find(body, mayUse) {
			// Most requests have neither such a field nor tools.
			for (const name in body.value)
				if (lists.has(name) || isForbidden(name) || (name === "metadata" && steersByMetadata(body.value)))
					return search(body, mayUse);
			return undefined;
		},
	};
};
