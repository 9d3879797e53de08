/** Tasks, acceptances and errors as Midjourney's clients read them. */
import { asList, asRecord, asText, type Denial, type RenderDenial, renderOwnDenial } from "#core";
import { fileUrl, type Task } from "../tasks/service.ts";
import { imageUrl, imageWords, shownPrompt } from "./kind.ts";

/** The callback's ten fields, and those that clients show besides. */
export const midjourneyView = (task: Task): Readonly<Record<string, unknown>> => {
	const extra = asRecord(task.result?.extra);
	const prompt = shownPrompt(task);
	return {
		id: task.id,
		action: task.action,
		status: imageWords[task.status],
		prompt,
		promptEn: asText(extra.promptEn) ?? prompt,
		description: asText(extra.description) ?? `/${task.action.toLowerCase()} ${prompt}`.trim(),
		state: task.state ?? "",
		submitTime: task.submittedAt,
		startTime: task.startedAt,
		finishTime: task.finishedAt,
		imageUrl: imageUrl(task),
		videoUrl: fileUrl(task, "video"),
		progress: `${task.progress}%`,
		failReason: task.failure?.reason ?? "",
		properties: { finalPrompt: prompt, ...asRecord(extra.properties) },
		buttons: asList(extra.buttons),
	};
};

/** What every submission is answered with. `result` is always text. */
export const envelope = (result: string, description = "Submitted"): Response =>
	Response.json({ code: 1, description, result, properties: {} });

const codeOf = ({ kind }: Denial): number => {
	if (kind === "rate_limited" || kind === "quota_held" || kind === "overloaded") return 23;
	return kind === "content_policy" ? 24 : 4;
};

const typeOf = ({ kind, code }: Denial): string => (kind === "quota_exhausted" ? "quota_not_enough" : (code ?? kind));

/** Clients look at both the status and the JSON, so there is always both. */
export const renderMidjourneyDenial: RenderDenial = (denial) => ({
	...renderOwnDenial(denial),
	...(denial.kind === "quota_exhausted" && { status: 403 }),
	body: { code: codeOf(denial), description: denial.message, result: null, properties: {}, type: typeOf(denial) },
});
