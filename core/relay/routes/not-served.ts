/** What is said where no route answers: the method and the path that were asked for, so that the caller sees which one it is. */
import { type Denial, deny } from "../../contract/fault.ts";

const longestPath = 200;

/** What clients' libraries have and a gateway has not, by the path behind its version; and what to do in its place. */
const instead: readonly (readonly [path: RegExp, advice: string])[] = [
	[/\/conversations(?:\/|$)/, "send the whole conversation, or previous_response_id, to POST /v1/responses"],
	[/\/(?:files|uploads)(?:\/|$)/, "there is no file store, so send a file's content within the request"],
	[/\/batches(?:\/|$)/, "send each request by itself"],
	[/\/(?:assistants|threads)(?:\/|$)/, "ask by POST /v1/responses or POST /v1/chat/completions"],
	[/\/vector_stores(?:\/|$)/, "send what is to be searched within the request"],
	[/\/cachedContents(?:\/|$)/, "send the content with each request; what repeats is cached by the provider itself"],
	[/\/interactions(?:\/|$)/, "ask by POST /v1beta/models/MODEL:generateContent, with the conversation so far"],
	[/\/realtime(?:\/|$)/, "send sound to POST /v1/chat/completions or /v1/audio/transcriptions; there are no sockets"],
	[/\/images\/variations$/, "change a picture by POST /v1/images/edits"],
];

/** `allowed`: the methods that the path does have. */
export const notServed = ({ method, url }: Request, allowed: readonly string[] = []): Denial => {
	const asked = `${method} ${pathOf(url).slice(0, longestPath)}`;
	if (allowed.length === 0) {
		const [, advice] = instead.find(([path]) => path.test(pathOf(url))) ?? [];
		const rest = advice === undefined ? "" : `: ${advice}`;
		return deny("not_found", `${asked} is not served here${rest}; GET /openapi.json lists what is.`);
	}
	const methods = allowed.join(", ");
	return deny("method_not_allowed", `${asked} is not served here; this address takes ${methods}.`, {
		headers: { allow: methods },
	});
};

/** Without the query and without ids, which may be a key in the wrong place. */
const pathOf = (url: string): string => {
	if (!URL.canParse(url)) return "";
	return new URL(url).pathname.replace(/[^/]{16,}/g, (segment) => (/\d/.test(segment) ? "…" : segment));
};
