/** A neutral response as a message. */
import {
	type Candidate,
	type EncodedResponse,
	Fault,
	type Finish,
	failureOf,
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
	const failure = failureOf(finish);
	if (failure) throw new Fault(failure);
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
