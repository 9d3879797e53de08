/** An upstream's whole answer as the neutral form. */
import {
	asCount,
	asList,
	asNumber,
	asRecord,
	asText,
	type Block,
	type Candidate,
	calledTool,
	type DecodeContext,
	definedOnly,
	Fault,
	isRecord,
	type NeutralResponse,
	openAiFailureWithin,
	type TokenLogprob,
	unwrapInput,
	type WireRecord,
} from "#core";
import { decodeAssistant } from "../decode-assistant.ts";
import { failureWithin } from "../failure-within.ts";
import { decodeFinish } from "../finish.ts";
import { decodeLogprobs } from "../logprobs.ts";
import { protocolName } from "../name.ts";
import { citesWeb, usageFor } from "../usage.ts";
import { searchGrounding } from "./grounding.ts";

/** The format of the sound that the client asked for, in this protocol's words. */
export const audioFormatOf = ({ request }: DecodeContext): { audioFormat?: string } =>
	definedOnly({ audioFormat: asText(asRecord(request.audio)["format"]) });

/** Reads what an upstream sent: what it got wrong is its fault and not the client's. */
export const trusting = <T>(read: () => T): T => {
	try {
		return read();
	} catch (cause) {
		throw new Fault({ kind: "upstream", message: "The upstream's answer holds content that cannot be read." }, cause);
	}
};

/** A call under the client's name for the tool; a custom tool that went as a function comes back as one. */
const meant = (block: Block, context: DecodeContext): Block => {
	if (block.type !== "tool_call") return block;
	const { kind, ...named } = calledTool(block.name, context);
	if (kind === "function" || block.kind === "custom") return { ...block, ...named };
	return { ...block, ...named, kind: "custom", arguments: { form: "text", text: unwrapInput(block.arguments.text) } };
};

const withLogprobs = (blocks: readonly Block[], logprobs: readonly TokenLogprob[]): readonly Block[] => {
	const first = blocks.findIndex((block) => block.type === "text");
	if (logprobs.length === 0 || first === -1) return blocks;
	return blocks.map((block, index) => (index === first && block.type === "text" ? { ...block, logprobs } : block));
};

const candidateOf = (value: unknown, place: number, context: DecodeContext, root: WireRecord): Candidate => {
	const choice = asRecord(value);
	const message = asRecord(choice["message"]);
	const at = `choices[${place}].message`;
	const said = trusting(() =>
		decodeAssistant(message, { at, family: context.family, fromUpstream: true, ...audioFormatOf(context) }),
	);
	const blocks = withLogprobs(
		said.map((block) => meant(block, context)),
		decodeLogprobs(choice["logprobs"]),
	);
	const calls = blocks.some((block) => block.type === "tool_call");
	const index = asCount(choice["index"]) ?? place;
	return {
		index,
		blocks,
		finish: decodeFinish(asText(choice["finish_reason"]), calls, asText(choice["stop_reason"])),
		...definedOnly({ grounding: index === 0 ? searchGrounding(root, message) : undefined }),
	};
};

const extrasOf = (root: WireRecord): NeutralResponse["extras"] => {
	const fingerprint = asText(root["system_fingerprint"]);
	return fingerprint === undefined ? undefined : { [protocolName]: { system_fingerprint: fingerprint } };
};

const errorIn = (root: WireRecord, choices: readonly unknown[]): NeutralResponse["error"] => {
	const failure = choices.length === 0 || root["error"] ? failureWithin(root) : undefined;
	if (failure !== undefined) return failure;
	const failed = choices.map(asRecord).find((choice) => isRecord(choice["error"]));
	return failed === undefined ? undefined : openAiFailureWithin(failed);
};

/** Decodes an answer. Throws `Fault` (`upstream`) for what is none. */
export const decodeResponse = (body: unknown, context: DecodeContext): NeutralResponse => {
	const root = asRecord(body);
	const choices = asList(root["choices"]);
	const error = errorIn(root, choices);
	if (choices.length === 0 && error === undefined)
		throw new Fault({ kind: "upstream", message: "The upstream's answer holds no choices. Ask again." });
	return {
		id: asText(root["id"]) ?? "",
		createdAt: asNumber(root["created"]) ?? 0,
		model: asText(root["model"]) ?? "",
		candidates: choices.map((choice, place) => candidateOf(choice, place, context, root)),
		...definedOnly({
			usage: usageFor(
				context,
				root["usage"],
				choices.some((choice) => citesWeb(asRecord(asRecord(choice)["message"]))),
			),
			tier: asText(root["service_tier"]),
			error,
			extras: extrasOf(root),
		}),
	};
};
