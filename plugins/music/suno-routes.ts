/** The routes that clients of Suno-API call, with the aliases seen in the wild, and those of the feed's clients. */
import { asList, asText, Fault, type Identified, type Route } from "#core";
import type { Task, TaskOrder, Tasks } from "../tasks/service.ts";
import { lyricsOrder, songOrder } from "./kind.ts";
import { clipViews, envelope, lyricsView, renderSunoDenial, sunoView } from "./suno-views.ts";

const isMusic = (task: Task | undefined): task is Task => task?.kind === "music";

const absent = (): Fault =>
	new Fault({ kind: "not_found", code: "task_not_exist", message: "There is no task of that id under this token." });

export const sunoRoutes = (tasks: Tasks, defaultModel: string): readonly Route[] => {
	const known = async (call: Identified): Promise<Task> => {
		const task = await tasks.find(call, call.params.id ?? "");
		if (!isMusic(task)) throw absent();
		return task;
	};

	const take = async (
		call: Identified,
		orderOf: (body: Awaited<ReturnType<Tasks["read"]>>, defaultModel: string) => TaskOrder,
	): Promise<Task> => {
		const body = await tasks.read(call);
		return await tasks.submit(call, { ...orderOf(body, defaultModel), callbackUrl: tasks.callbackUrlOf(body) });
	};

	const submit = async (call: Identified): Promise<Response> => {
		const action = (call.params.action ?? "").toUpperCase();
		if (action !== "MUSIC" && action !== "LYRICS")
			throw new Fault({
				kind: "invalid_request",
				code: "invalid_action",
				message: "There are the actions `music` and `lyrics`.",
			});
		return envelope((await take(call, action === "MUSIC" ? songOrder : lyricsOrder)).id);
	};

	const custom = async (call: Identified): Promise<Response> => envelope((await take(call, songOrder)).id);

	const fetchOne = async (call: Identified): Promise<Response> => envelope(sunoView(await known(call)));

	const fetchMany = async (call: Identified): Promise<Response> => {
		const { ids, action } = await tasks.readQuestion(call);
		const wanted = asText(action)?.toUpperCase();
		const found = await tasks.findAll(
			call,
			asList(ids).flatMap((id) => asText(id) ?? []),
		);
		return envelope(
			found.filter((task) => isMusic(task) && (wanted === undefined || task.action === wanted)).map(sunoView),
		);
	};

	/** The feed's clients read a bare list of clips, also of clips that are not there yet. */
	const feedOf = (task: Task): readonly unknown[] => {
		if (task.status === "SUCCESS") return clipViews(task);
		const status = { NOT_START: "submitted", IN_PROGRESS: "streaming", FAILURE: "error" }[task.status];
		const metadata = { prompt: task.prompt, error_message: task.failure?.reason ?? null };
		return [{ id: task.id, title: "", status, audio_url: "", image_url: "", metadata }];
	};

	const generate = async (call: Identified): Promise<Response> => {
		const task = await take(call, songOrder);
		return Response.json({ id: task.id, clips: feedOf(task), status: "submitted" });
	};

	const generateWords = async (call: Identified): Promise<Response> =>
		Response.json(lyricsView(await take(call, lyricsOrder)));

	const feed = async (call: Identified): Promise<Response> => {
		const ids = (call.params.ids ?? "").split(",").map((id) => id.replace(/-\d+$/, ""));
		const found = (await tasks.findAll(call, ids)).filter(isMusic);
		if (found.length === 0) throw absent();
		return Response.json(found.flatMap(feedOf));
	};

	const words = async (call: Identified): Promise<Response> => Response.json(lyricsView(await known(call)));

	const shared = { access: "token", renderDenial: renderSunoDenial } as const;
	const post = { ...shared, method: "POST" } as const;
	const get = { ...shared, method: "GET" } as const;
	return [
		...["/suno", "/v1/suno"].flatMap((base): readonly Route[] => [
			{
				...post,
				path: `${base}/submit/:action`,
				summary: "Submits a song or its words as Suno's clients do.",
				handle: submit,
			},
			{
				...post,
				path: `${base}/submit/music/custom`,
				summary: "Submits a song with a title and a style.",
				handle: custom,
			},
			{ ...get, path: `${base}/fetch/:id`, summary: "Shows a music task as Suno's clients read it.", handle: fetchOne },
			{ ...post, path: `${base}/fetch`, summary: "Shows several music tasks.", handle: fetchMany },
		]),
		{ ...post, path: "/suno/generate", summary: "Submits a song, for clients of the feed.", handle: generate },
		{
			...post,
			path: "/suno/generate/description-mode",
			summary: "Submits a song by its description, for clients of the feed.",
			handle: generate,
		},
		{
			...post,
			path: "/suno/generate/lyrics",
			summary: "Submits words, for clients of the feed.",
			handle: generateWords,
		},
		{
			...post,
			path: "/suno/generate/lyrics/",
			summary: "Submits words, for clients of the feed.",
			handle: generateWords,
		},
		{ ...get, path: "/suno/feed/:ids", summary: "Lists the clips of music tasks.", handle: feed },
		{ ...get, path: "/suno/lyrics/:id", summary: "Shows the words that were asked for.", handle: words },
	];
};
