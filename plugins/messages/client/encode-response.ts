/** A neutral response as a message. */
import {
	type Candidate,
	type EncodedResponse,
	Fault,
	type Finish,
	type NeutralRequest,
	type NeutralResponse,
	type WireRecord,
} from "#core";
import { encodeOutputBlock, ServerPairs } from "../encode-output.ts";
import { encodeFinish } from "../finish.ts";
import { protocolName } from "../name.ts";
import { encodeWholeUsage } from "../usage.ts";

/** The id of a message; other protocols' ids are given this one's prefix. */
export const messageId = (id: string): string =>
	id.startsWith("msg_") ? id : `msg_${id.replace(/[^a-zA-Z0-9_-]/g, "") || crypto.randomUUID().replaceAll("-", "")}`;

const contentOf = (candidate: Candidate | undefined, request: NeutralRequest): readonly WireRecord[] => {
	const pairs = new ServerPairs();
	const content: WireRecord[] = [];
	for (const said of candidate?.blocks ?? [])
		for (const block of encodeOutputBlock(said, request)) content.push(...pairs.before(block), block);
	content.push(...pairs.before(undefined));
	if (candidate?.grounding) content.push(...pairs.grounding(candidate.grounding));
	return content;
};

/** What a finish that is a failure is told as. */
export const failedFinish = ({ message }: Finish): Fault =>
	new Fault({ kind: "upstream", message: message ?? "The model ended its answer with an error; ask again." });

/** A tool call that cannot be read is no answer either: without its call there is nothing to go on from. */
export const isFailure = ({ reason }: Finish): boolean => reason === "error" || reason === "malformed_call";

/** The finish of an answer whose prompt was blocked. */
export const blockedFinish = (message: string | undefined): Finish => ({
	reason: "safety",
	...(message !== undefined && { message }),
});

const finishOf = (response: NeutralResponse): Finish =>
	response.candidates[0]?.finish ??
	(response.promptBlocked ? blockedFinish(response.promptBlocked.message) : { reason: "stop" });

/** The first candidate: the protocol has no others. Throws `Fault` for one that ended with an error. */
export const encodeResponse = (response: NeutralResponse, request: NeutralRequest): EncodedResponse => {
	const candidate = response.candidates[0];
	const finish = finishOf(response);
	if (isFailure(finish)) throw failedFinish(finish);
	const types = new Set(candidate?.blocks.map(({ type }) => type));
	return {
		body: {
			id: messageId(response.id),
			type: "message",
			role: "assistant",
			model: request.model,
			content: contentOf(candidate, request),
			...encodeFinish(finish, types),
			usage: encodeWholeUsage(response.usage, response.tier),
			...response.extras?.[protocolName],
			...candidate?.extras?.[protocolName],
		},
	};
};
