/** Fields by which a client would choose for itself where its request goes: found in any spelling that an upstream may take. */
import type { Steering } from "../contract/facts.ts";
import type { JsonBody } from "../contract/json-body.ts";
import { asText, isRecord } from "../neutral/json.ts";

/** Another address, another key: fields of gateways and client libraries, whatever the protocol. */
export const addressFields: readonly string[] = (
	"api_base api_key api_version api_type base_url extra_body extra_headers extra_query custom_llm_provider deployment_id " +
	"organization user_config litellm_params vertex_project vertex_location vertex_credentials aws_access_key_id " +
	"aws_secret_access_key aws_session_token aws_region_name aws_bedrock_runtime_endpoint data_sources"
).split(" ");

/** Another model or provider, or more tries than one, at an upstream that is a gateway itself. */
const choiceFields: readonly string[] = (
	"models model_list route router provider providers targets preset plugins fallback fallbacks context_window_fallbacks " +
	"content_policy_fallbacks router_settings_override num_retries mock_response"
).split(" ");

/** As the most careless reader compares names: Go's takes any case, others take camelCase for snake_case. */
const folded = (name: string): string => name.toUpperCase().toLowerCase().replaceAll(/[_-]/g, "");

/** Finds what steers in bodies whose fields have these names. */
export interface SteeringFinder {
	find(body: JsonBody, mayUse: (model: string) => boolean): Steering | undefined;
}

/**
 * `exact`: fields of the protocol that decide what is asked and what it costs, in the spellings it takes; another
 * spelling of one of them would be read by some upstreams and by nobody here.
 */
export const steeringFinder = (exact: readonly string[]): SteeringFinder => {
	const known = new Set(exact);
	const forbidden = new Set([...addressFields, ...choiceFields, ...exact].map(folded));
	return {
		find(body, mayUse) {
			const edits: Record<string, unknown> = {};
			const removed: string[] = [];
			for (const name of body.members.keys())
				if (!known.has(name) && forbidden.has(folded(name))) {
					edits[name] = undefined;
					removed.push(name);
				}
			const { tools } = body.value;
			if (Array.isArray(tools)) {
				const kept = tools.map((tool: unknown, index) => {
					if (!isRecord(tool) || !Object.hasOwn(tool, "model") || typeof tool["type"] !== "string") return tool;
					const model = asText(tool["model"]);
					if (tool["type"] === "function" || (model !== undefined && mayUse(model))) return tool;
					removed.push(`tools[${index}].model`);
					const { model: _, ...rest } = tool;
					return rest;
				});
				if (kept.some((tool, index) => tool !== tools[index])) edits["tools"] = kept;
			}
			return removed.length === 0 ? undefined : { edits, removed };
		},
	};
};
