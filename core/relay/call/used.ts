/**
 * What a call has used by its end, whatever ended it: what the upstream said where it said all of it, and otherwise no
 * less than it can bill by then. Who leaves early gets nothing for less.
 */

import type { EndpointRouted, RelayedCall } from "../../contract/call.ts";
import type { Bound } from "../../contract/endpoint.ts";
import { generates } from "../../contract/model-ask.ts";
import type { Ending } from "../../contract/outcome.ts";
import type { Observation } from "../../contract/passthrough.ts";
import type { Target } from "../../contract/upstream.ts";
import type { Block } from "../../neutral/content.ts";
import { bytesPerToken, estimateInput } from "../../neutral/estimate.ts";
import { beyondLimit, beyondNothing } from "../../neutral/model.ts";
import type { NeutralRequest } from "../../neutral/request.ts";
import { addUsage, billedUsage, type Usage } from "../../neutral/response.ts";
import { kindOfBytes } from "../../wire/media-bytes.ts";

/** What a model generates in a second at most, where nothing better is known of it. */
const usualTokensPerSecond = 500;

export interface CallEnd {
	readonly ending: Ending;
	readonly seen: Observation;
	readonly target: Target | undefined;
	/** The most output tokens that the permits allowed the upstream. */
	readonly permitted: number | undefined;
	/** The limit of what was being written, where that was not yet the answer. */
	readonly writes?: number | undefined;
	/** Milliseconds since the request went to the upstream; undefined when it did not, or was refused there. */
	readonly sentMs: number | undefined;
	/** Milliseconds of a stream in which nothing was read of what may have come. */
	readonly unreadMs: number;
}

/** Whether the usage that was told is that of the whole answer. A count of no output beside some is that of the prompt. */
export const isTotal = ({ usage, usageIsTotal, finished, contentBytes }: Observation): boolean =>
	usage !== undefined && (usageIsTotal ?? finished) && (usage.output.total > 0 || contentBytes === 0);

const isCharged = ({ ending, seen, sentMs }: CallEnd): boolean => {
	if (ending === "completed") return true;
	const said = seen.usage !== undefined || seen.pieces > 0 || seen.contentBytes > 0;
	// An upstream that told nothing but a failure has refused the request.
	return said || (sentMs !== undefined && seen.error === undefined);
};

/** What calls itself a picture or a sound and is neither: to an upstream that looks at it, it is text. */
const textIn = (block: Block): number => {
	if (block.type === "tool_result") return block.content.reduce((sum, inner) => sum + textIn(inner), 0);
	if (!("media" in block) || block.media.by !== "bytes") return 0;
	return kindOfBytes(block.media.base64) === "other" ? block.media.base64.length : 0;
};

const textInMedia = ({ messages }: NeutralRequest): number => {
	let bytes = 0;
	for (const { blocks } of messages) for (const block of blocks) bytes += textIn(block);
	return bytes;
};

const inputOf = (call: RelayedCall): Usage["input"] => {
	const length = call.requestBytes;
	try {
		const request = call.prompt();
		return { total: estimateInput(request, length) + Math.ceil(textInMedia(request) / bytesPerToken) };
	} catch {
		// What cannot be decoded went as bytes.
		return { total: Math.ceil(length / bytesPerToken) };
	}
};

/** Whoever tells of no input at the start has not counted it yet. */
const firstInput = (call: RelayedCall, said: Usage | undefined): Usage["input"] =>
	said && said.input.total > 0 ? said.input : inputOf(call);

/** What a search finds is told sealed, and has no fewer bytes to a token than this. */
const resultBytesPerToken = 3;

/** No answer is made of nothing: some servers tell at the end of a stream what they wrote, and never what they read. */
const withInput = (call: RelayedCall, said: Usage): Usage =>
	call.surface === "model" && generates(call.model.operation)
		? { ...said, input: inputOf(call), estimated: true }
		: said;

/** What was told at the start holds none of the rounds that came after it. */
const readAgain = (input: Usage["input"], { results }: Observation): Usage["input"] =>
	results
		? { ...input, total: input.total * (1 + results.times) + Math.ceil(results.bytes / resultBytesPerToken) }
		: input;

/** Output tokens that may come beyond the limit. */
const beyondOf = ({ capabilities }: Target, limit: number | undefined): number =>
	beyondLimit(capabilities) + beyondNothing(limit, capabilities, Number.POSITIVE_INFINITY);

/** Output tokens for each answer that the upstream was held to. */
const limitOf = ({ model }: RelayedCall, { permitted, target, writes }: CallEnd): number =>
	writes ??
	Math.min(
		permitted ?? Number.POSITIVE_INFINITY,
		model.maxOutputTokens ?? Number.POSITIVE_INFINITY,
		target?.capabilities.maxOutput ?? Number.POSITIVE_INFINITY,
	) + (target ? beyondOf(target, model.maxOutputTokens) : 0);

const outputOf = (call: RelayedCall, end: CallEnd): number => {
	const { seen, target, sentMs = 0, unreadMs } = end;
	const { model } = call;
	const answers = Math.max(1, model.candidates);
	const delivered = Math.max(seen.pieces, Math.ceil(seen.contentBytes / bytesPerToken));
	const said = seen.usage?.output.total ?? 0;
	if (end.ending === "completed" || !generates(model.operation)) return Math.max(said, delivered);
	const perMs = ((target?.capabilities.tokensPerSecond ?? usualTokensPerSecond) * answers) / 1000;
	// Nothing is seen of an answer in one piece before it is there, nor of what a model thinks in secret.
	const hides = !model.stream || target?.capabilities.thinking !== "none";
	const generated = Math.max(delivered + Math.ceil(unreadMs * perMs), hides ? Math.ceil(sentMs * perMs) : 0);
	return Math.max(said, Math.min(generated, limitOf(call, end) * answers) + predictedIn(call));
};

/** What was predicted and does not come is billed, and nothing is seen of it. */
const predictedIn = (call: RelayedCall): number => {
	if (call.surface !== "model") return 0;
	const { protocol, body } = call.ask;
	return Math.ceil((protocol.facts.bound(body).predicted ?? 0) / bytesPerToken);
};

/** Of the upstream's own tools what it said, and no less than was seen of them: they are billed by the call. */
const toolsOf = ({ usage, serverTools: seen }: Observation): Pick<Usage, "serverTools"> => {
	if (!seen) return {};
	const counts: Record<string, number> = { ...usage?.serverTools };
	for (const [name, calls] of Object.entries(seen)) counts[name] = Math.max(counts[name] ?? 0, calls);
	return { serverTools: counts };
};

export const boundUsage = ({ inputTokens, outputTokens, units }: Bound): Usage => ({
	input: { total: inputTokens },
	output: { total: outputTokens },
	...(units && { units }),
	estimated: true,
});

/** Nobody knows how far the upstream came: all of it may be billed, but of text what it can have written in that time. */
const unsaidUse = (call: EndpointRouted, { seen, target, sentMs = 0 }: CallEnd): Usage => {
	const { bound, model } = call;
	if (!model.stream || bound.outputTokens === 0 || bound.units) return boundUsage(bound);
	const perMs = (target?.capabilities.tokensPerSecond ?? usualTokensPerSecond) / 1000;
	const written = Math.max(seen.pieces, Math.ceil(sentMs * perMs) * Math.max(1, model.candidates));
	return boundUsage({ ...bound, outputTokens: Math.min(bound.outputTokens, written) });
};

/** Of a stream that was left its upstream goes on: what it said by then is the least. */
const endpointUse = (call: EndpointRouted, end: CallEnd): Usage => {
	const { usage: said, finished } = end.seen;
	if (!said) return unsaidUse(call, end);
	const { total } = finished || !call.model.stream ? said.output : unsaidUse(call, end).output;
	return total <= said.output.total ? said : { ...said, output: { ...said.output, total }, estimated: true };
};

/** A model that always searches is billed for it, whether or not its answer came to cite what was found. */
const withSearch = (used: Usage): Usage => {
	const { web_search: searches = 0, ...others } = used.serverTools ?? {};
	return { ...used, serverTools: { ...others, web_search: Math.max(1, searches) } };
};

/** Undefined when nothing was used, as far as anybody can know. */
export const usedBy = (call: RelayedCall, end: CallEnd): Usage | undefined => {
	const { usage: said, unbilled } = end.seen;
	if (unbilled) return undefined;
	const searches = end.target?.capabilities.searches === "always" && generates(call.model.operation);
	if (said && isTotal(end.seen)) {
		const whole = said.input.total === 0 && said.output.total > 0 ? withInput(call, said) : said;
		return searches ? withSearch(whole) : whole;
	}
	if (call.model.operation === "count_tokens" || !isCharged(end)) return undefined;
	if (call.surface === "endpoint") return endpointUse(call, end);
	const used = {
		...said,
		input: readAgain(firstInput(call, said), end.seen),
		output: { ...said?.output, total: outputOf(call, end) },
		...toolsOf(end.seen),
		estimated: true,
	};
	return searches ? withSearch(used) : used;
};

const inOneCount = (used: Usage | undefined): Usage | undefined => (used?.beside ? billedUsage(used) : used);

/** What a call used in all, in one count: before its answer (for a summary) and for it. */
export const usedInAll = (before: Usage | undefined, used: Usage | undefined): Usage | undefined =>
	inOneCount(before && used ? addUsage(before, used) : (used ?? before));
