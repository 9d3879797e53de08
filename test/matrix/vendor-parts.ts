/** Parts of content that other vendors of Chat Completions have beyond OpenAI's published schema: `thinking`, `video_url` … */
import { asList, asRecord, asText, isRecord } from "#core";
import type { Recording } from "../support/recordings.ts";
import type { Difference } from "./compare.ts";

const partTypes = (messages: readonly unknown[]): readonly string[] =>
	messages.flatMap((message) =>
		asList(asRecord(message)["content"]).flatMap((part) => asText(asRecord(part)["type"]) ?? []),
	);

const published = new Set(["text", "image_url", "input_audio", "file", "refusal"]);

/** Parts that the vendor itself was asked with, or answered with. */
const ownParts = ({ request, answer }: Recording): ReadonlySet<string> => {
	const choices = answer.form === "json" ? asList(asRecord(answer.value)["choices"]) : [];
	const said = choices.map((choice) => asRecord(choice)["message"]);
	return new Set(partTypes([...asList(request?.["messages"]), ...said]).filter((type) => !published.has(type)));
};

/** The breach of the schema as a difference with its reason, where all that breaches it are the vendor's own parts. */
export const vendorParts = (recording: Recording, body: unknown, fault: string): Difference | undefined => {
	if (recording.official || !fault.includes("/content/") || !isRecord(body)) return undefined;
	const sent = partTypes(asList(body["messages"])).filter((type) => !published.has(type));
	const own = ownParts(recording);
	if (sent.length === 0 || !sent.every((type) => own.has(type))) return undefined;
	return {
		what: fault,
		reason: `the vendor's own parts, as it takes and gives them: ${[...new Set(sent)].join(", ")}`,
	};
};
