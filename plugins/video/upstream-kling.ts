/** Kling as an upstream. Its jobs can be found again by the id we give them, so a lost answer loses nothing. */
import { createHmac } from "node:crypto";
import { asList, asNumber, asRecord, asText, bearer, type Clock, definedOnly, isRecord, type WireRecord } from "#core";
import {
	type Answer,
	bySetting,
	type Connection,
	type JobState,
	leadingNumber,
	type MadeFile,
	pictureData,
	type Submission,
	type TaskJob,
	type Tasks,
	type TaskUpstream,
} from "../tasks/service.ts";
import { isKlingMaker, type KlingMaker, klingMakers } from "./kling-makers.ts";
import { type UpstreamSetting, videoPollDelaysMs } from "./settings.ts";

const tokenSeconds = 1800;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A JSON Web Token as Kling wants it; `now` in seconds. */
export const klingToken = (accessKey: string, secretKey: string, now: number): string => {
	const claims = { iss: accessKey, exp: now + tokenSeconds, nbf: now - 5 };
	const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
	return `${signed}.${createHmac("sha256", secretKey).update(signed).digest("base64url")}`;
};

const usualMaker: Readonly<Record<string, KlingMaker>> = { IMAGE_TO_VIDEO: "image2video", EXTEND: "video-extend" };

/** A part of addresses: only one of those that are known. */
const makerOf = ({ memo, details, action }: TaskJob): KlingMaker =>
	[memo.maker, details.maker].find(isKlingMaker) ?? usualMaker[action] ?? "text2video";

/** Fields of other dialects that Kling does not know, and those that are put where it reads them. */
const foreign = new Set("maker seconds duration durationSeconds n sampleCount size image aspect_ratio".split(" "));

/** What is made of one whole clip; the others say themselves which clip they need, and where. */
const goesOn: ReadonlySet<string> = new Set(["REMIX", "EXTEND", "EDIT"]);

/** The length where the route reads it, so that no more is made than was counted; the same of the model. */
const lengthFor = (maker: KlingMaker, job: TaskJob): WireRecord => {
	const seconds = asNumber(job.details.seconds);
	const duration = seconds === undefined ? undefined : String(seconds);
	if (klingMakers[maker] === "beside") return definedOnly({ duration });
	if (klingMakers[maker] === "nowhere") return {};
	const input = asRecord(job.input.input);
	return {
		input: { ...input, ...(input.model_name !== undefined && { model_name: job.model }), ...definedOnly({ duration }) },
	};
};

const bodyOf = (job: TaskJob): WireRecord => {
	const { aspectRatio } = job.details;
	const image = asText(job.input.image);
	const picture = image === undefined ? undefined : (pictureData(image)?.base64 ?? image);
	const rest = Object.entries(job.input).filter(([name]) => !foreign.has(name));
	return {
		...Object.fromEntries(rest),
		model_name: job.model,
		...definedOnly({
			prompt: job.prompt === "" ? undefined : job.prompt,
			image: picture,
			aspect_ratio: asText(aspectRatio),
		}),
		...(job.parent && goesOn.has(job.action) && { video_id: asText(job.parent.memo.clip) ?? job.parent.upstreamId }),
		...lengthFor(makerOf(job), job),
		external_task_id: job.id,
	};
};

/** Too many requests, or too many jobs at once. */
const busyCodes: ReadonlySet<unknown> = new Set([1302, 1303, 1304]);
const unfit = 1301;

const submissionOf = (answer: Answer, maker: string, connection: Connection, tasks: Tasks): Submission => {
	if (answer.sent !== "answered" || !isRecord(answer.body)) return connection.refusal(answer);
	const { code, data, message } = answer.body;
	const id = asText(asRecord(data).task_id);
	if (code === 0 && id !== undefined) return { outcome: "accepted", upstreamId: id, memo: { maker } };
	if (busyCodes.has(code)) return { outcome: "busy" };
	if (answer.status >= 500 || answer.status === 401 || answer.status === 403 || answer.status === 429)
		return connection.refusal(answer);
	const reason = tasks.publicReason(asText(message) ?? "") || "The upstream refused the task.";
	return {
		outcome: "refused",
		failure: { code: code === unfit ? "content_policy_violation" : "upstream_refused", reason },
	};
};

/** What the upstream says of one job. */
const klingState = (connection: Connection, data: WireRecord, publicReason: (reason: string) => string): JobState => {
	const { task_status: status, task_status_msg: message, task_result: result } = data;
	switch (status) {
		case "submitted":
			return { state: "waiting" };
		case "processing":
			return { state: "running" };
		case "failed": {
			const reason = publicReason(asText(message) ?? "") || "The upstream could not make the clip.";
			return {
				state: "failed",
				failure: {
					code: /risk|sensitive|policy/i.test(reason) ? "content_policy_violation" : "upstream_failed",
					reason,
				},
			};
		}
		case "succeed": {
			const videos = asList(asRecord(result).videos).map(asRecord);
			const files = videos.flatMap(({ url, cover_url: cover }): readonly MadeFile[] => [
				...connection.files("video", "video/mp4", url),
				...connection.files("cover", "image/png", cover),
			]);
			const duration = leadingNumber(videos[0]?.duration);
			const clips = videos.map(({ id }) => definedOnly({ id: asText(id) }));
			const about = { ...definedOnly({ duration }), extra: { clips } };
			return { state: "done", made: files.length === 0 ? { files } : { files, ...about } };
		}
		default:
			return { state: "strange", word: asText(status) ?? typeof status };
	}
};

export const klingUpstream = (setting: UpstreamSetting, tasks: Tasks, clock: Clock): TaskUpstream => {
	const { name, url, key, accessKey, secretKey } = setting;
	const token = (): string | undefined =>
		accessKey !== undefined && secretKey !== undefined
			? klingToken(accessKey, secretKey, Math.floor(clock.now() / 1000))
			: key;
	const connection = tasks.connect({ name, url, headers: () => bearer(token()) });
	const dataAt = async (job: TaskJob, id: string, signal: AbortSignal): Promise<Answer | WireRecord> => {
		const answer = await connection.ask(`/v1/videos/${makerOf(job)}/${encodeURIComponent(id)}`, { signal });
		if (answer.sent !== "answered" || answer.status !== 200) return answer;
		const { code, data } = asRecord(answer.body);
		return code === 0 && isRecord(data) ? data : answer;
	};
	const isAnswer = (value: Answer | WireRecord): value is Answer => "sent" in value;

	return {
		...bySetting(setting),
		kind: "video",
		pollDelaysMs: videoPollDelaysMs,
		async submit(job, signal) {
			const maker = makerOf(job);
			return submissionOf(
				await connection.ask(`/v1/videos/${maker}`, { body: bodyOf(job), signal }),
				maker,
				connection,
				tasks,
			);
		},
		async poll([job], signal) {
			if (!job) return [];
			const data = await dataAt(job, job.upstreamId ?? "", signal);
			return [isAnswer(data) ? connection.noState(data) : klingState(connection, data, tasks.publicReason)];
		},
		async find(job, signal) {
			const data = await dataAt(job, job.id, signal);
			return isAnswer(data) ? undefined : asText(data.task_id);
		},
	};
};
