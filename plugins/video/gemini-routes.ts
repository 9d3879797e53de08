/** Google's long-running video calls: `:predictLongRunning`, its operations, and the files they name. */
import {
	asList,
	asRecord,
	asText,
	type Denial,
	Fault,
	findReference,
	type Identified,
	leadsIntoAccount,
	type ReferenceFields,
	type RenderDenial,
	type Route,
	referenceDenial,
	renderOwnDenial,
	type WireRecord,
} from "#core";
import type { Task, TaskOrder, Tasks } from "../tasks/service.ts";
import { fileName, ownFile } from "./gemini-files.ts";
import { absent, promptOf, secondsOf, videoOrder, videoTask } from "./kind.ts";

const versions = ["v1beta", "v1", "v1alpha"];

const imageOf = (instance: WireRecord): string | undefined => {
	const { bytesBase64Encoded, mimeType, inlineData } = asRecord(instance.image);
	const data = asText(bytesBase64Encoded) ?? asText(asRecord(inlineData).data);
	return data === undefined
		? undefined
		: `data:${asText(mimeType) ?? asText(asRecord(inlineData).mimeType) ?? "image/png"};base64,${data}`;
};

/** Files of the upstream's account, which serves all tokens: what is made of one token's must not be had by another. */
const fileFields: ReferenceFields = {
	ids: new Set(),
	addresses: new Set(["uri", "gcsUri", "fileUri", "file_uri", "gcs_uri"]),
	leads: (address) => !/^https?:/i.test(address) || leadsIntoAccount(address),
	opaque: new Set(),
};

const orderOf = (model: string, body: WireRecord): TaskOrder => {
	const instance = asRecord(asList(body.instances)[0]);
	const parameters = asRecord(body.parameters);
	const image = imageOf(instance);
	const { sampleCount: count = 1 } = parameters;
	if (count !== 1 && count !== "1" && count !== null)
		throw new Fault({
			kind: "unsupported",
			parameter: "parameters.sampleCount",
			message: "One video is made for each request; send several requests.",
		});
	const reference = findReference(body.instances, fileFields, "instances");
	if (reference) throw new Fault(referenceDenial(reference));
	return videoOrder({
		action: image === undefined ? "TEXT_TO_VIDEO" : "IMAGE_TO_VIDEO",
		model,
		prompt: promptOf(instance.prompt, image === undefined),
		seconds: secondsOf(parameters.durationSeconds, "parameters.durationSeconds"),
		aspectRatio: asText(parameters.aspectRatio),
		input: { ...parameters, ...instance, ...(image !== undefined && { image }) },
	});
};

const operationOf = (task: Task, base: string): WireRecord => {
	const name = `models/${task.model}/operations/${task.id}`;
	if (task.status === "FAILURE")
		return {
			name,
			done: true,
			error: { code: task.failure?.code === "content_policy_violation" ? 3 : 13, message: task.failure?.reason ?? "" },
		};
	if (task.status !== "SUCCESS") return { name, metadata: { progressPercent: task.progress } };
	const videos = (task.result?.files ?? []).flatMap(({ role }, index) => (role === "video" ? [index] : []));
	const generatedSamples = videos.map((index) => ({
		video: { uri: `${base}/v1beta/files/${fileName(task.id, index)}:download?alt=media` },
	}));
	return {
		name,
		done: true,
		response: {
			"@type": "type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse",
			generateVideoResponse: { generatedSamples },
		},
	};
};

const statuses: Readonly<Partial<Record<Denial["kind"], readonly [number, string]>>> = {
	authentication: [401, "UNAUTHENTICATED"],
	permission: [403, "PERMISSION_DENIED"],
	quota_exhausted: [429, "RESOURCE_EXHAUSTED"],
	quota_held: [429, "RESOURCE_EXHAUSTED"],
	rate_limited: [429, "RESOURCE_EXHAUSTED"],
	not_found: [404, "NOT_FOUND"],
	model_not_found: [404, "NOT_FOUND"],
	conflict: [409, "ABORTED"],
	internal: [500, "INTERNAL"],
	overloaded: [503, "UNAVAILABLE"],
	upstream: [502, "UNAVAILABLE"],
	upstream_timeout: [504, "DEADLINE_EXCEEDED"],
	client_timeout: [408, "DEADLINE_EXCEEDED"],
};

const renderGeminiDenial: RenderDenial = (denial) => {
	const own = renderOwnDenial(denial);
	const [code, status] = statuses[denial.kind] ?? [own.status, "INVALID_ARGUMENT"];
	return { status: code, headers: own.headers, body: { error: { code, message: denial.message, status } } };
};

/** The model a path names. Throws `Fault` for a broken escape. */
const modelOf = (path: string): string => {
	try {
		return decodeURIComponent(path).replace(/^models\//, "");
	} catch {
		throw new Fault({ kind: "invalid_request", message: "The model's name in the path has a broken % escape." });
	}
};

export const geminiRoutes = (tasks: Tasks): readonly Route[] => {
	const submit = async (call: Identified): Promise<Response> => {
		const model = modelOf(call.params["*"] ?? "");
		const body = await tasks.read(call);
		const callbackUrl = tasks.callbackUrlOf({ ...asRecord(body.parameters), ...body });
		const task = await tasks.submit(call, { ...orderOf(model, body), callbackUrl });
		return Response.json({ name: `models/${task.model}/operations/${task.id}` });
	};

	const show = async (call: Identified): Promise<Response> => {
		const task = await videoTask(tasks, call, call.params.id ?? "");
		return Response.json(operationOf(task, tasks.baseUrl(call)));
	};

	const download = async (call: Identified): Promise<Response> => {
		const file = ownFile(call.params["*"] ?? "");
		if (!file) throw absent();
		return await tasks.content(call, await videoTask(tasks, call, file.taskId), undefined, file.index);
	};

	const shared = { access: "token", renderDenial: renderGeminiDenial, keyInQuery: true } as const;
	return versions.flatMap((version): readonly Route[] => [
		{
			...shared,
			method: "POST",
			path: `/${version}/models/*:predictLongRunning`,
			summary: "Submits a video task as Google's clients do.",
			handle: submit,
		},
		{
			...shared,
			method: "GET",
			path: `/${version}/models/:model/operations/:id`,
			summary: "Shows a video's operation as Google's clients read it.",
			handle: show,
		},
		{
			...shared,
			method: "GET",
			path: `/${version}/files/*:download`,
			summary: "Gives a video to Google's clients.",
			handle: download,
		},
	]);
};
