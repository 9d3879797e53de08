/** Result files that only Portico can hand out: bytes, and what an upstream gives only to the holder of its key. */
import { openAsBlob } from "node:fs";
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, isWebAddress } from "#core";
import { pictureData } from "./pictures.ts";
import type { Made, MadeFile, ResultFile, TaskResult } from "./service.ts";
import type { Links } from "./signed-links.ts";
import type { WithinTime } from "./time-limit.ts";

interface FilesOptions {
	/** A folder of this node's own, or one all nodes share. */
	readonly folder: string;
	readonly links: Links;
	readonly withinTime: WithinTime;
	/** Told of a task whose file was asked for and is not in the folder. */
	readonly missed: (taskId: string) => void;
}

export interface Files {
	/** Keeps what must be kept and gives every file an address. Rejects with `Unfetched` when an upstream does not give its file. */
	keep(taskId: string, baseUrl: string, expiresAt: number, made: Made, signal: AbortSignal): Promise<TaskResult>;
	/** The bytes of a kept file; undefined when it is not here (any more). `range`: the request's header. */
	open(taskId: string, file: string, range: string | null): Promise<Response | undefined>;
	remove(taskId: string): Promise<void>;
}

/** An upstream did not give a file of its result; `cause` says why. */
export class Unfetched extends Error {}

/** What a browser only shows or plays; anything else goes out as bytes that it does not look into. */
const extensions = new Map(
	Object.entries({
		"image/png": "png",
		"image/jpeg": "jpg",
		"image/webp": "webp",
		"image/gif": "gif",
		"image/avif": "avif",
		"video/mp4": "mp4",
		"video/webm": "webm",
		"audio/mpeg": "mp3",
		"audio/wav": "wav",
		"audio/flac": "flac",
		"audio/ogg": "ogg",
		"model/gltf-binary": "glb",
		"model/gltf+json": "gltf",
		"model/obj": "obj",
		"model/stl": "stl",
		"model/vnd.usdz+zip": "usdz",
	}),
);

const mediaTypes = new Map([...extensions].map(([type, extension]) => [extension, type]));

/** Names are made here and only here: a number and an extension. */
const fileName = /^\d{1,3}\.[a-z0-9]{2,4}$/;
const taskId = /^task_[0-9a-z]{8,64}$/;

/** The bytes of a file that must be kept; undefined for one that stands at an address of its own. Rejects where there are none. */
const bytesOf = async (file: MadeFile, signal: AbortSignal): Promise<Uint8Array | undefined> => {
	const bytes = await givenBytes(file, signal);
	if (bytes?.length === 0) throw new TypeError("a result file is empty");
	return bytes;
};

const givenBytes = async (file: MadeFile, signal: AbortSignal): Promise<Uint8Array | undefined> => {
	if ("bytes" in file) return file.bytes;
	if ("fetch" in file) return await file.fetch(signal);
	const inside = await file.fetchInside?.(signal);
	if (inside) return inside;
	const data = pictureData(file.url);
	if (data) return Uint8Array.from(Buffer.from(data.base64, "base64"));
	if (!isWebAddress(file.url)) throw new TypeError("an upstream named a file by an address that is not http or https");
	return undefined;
};

const withoutUndefined = (made: Made, files: readonly ResultFile[]): TaskResult => {
	const { files: _files, ...rest } = made;
	return { files, ...rest };
};

/** `bytes=0-99` of a file of `size` bytes; undefined for the whole. */
const rangeOf = (header: string | null, size: number): { start: number; end: number } | undefined => {
	const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
	if (!match || (match[1] === "" && match[2] === "")) return undefined;
	const last = size - 1;
	const start = match[1] === "" ? Math.max(0, size - Number(match[2])) : Number(match[1]);
	const end = match[1] === "" || match[2] === "" ? last : Math.min(last, Number(match[2]));
	return start <= end ? { start, end } : undefined;
};

/** How long an upstream may take to give a file: a little more than our own requests have. */
const fileMs = 310_000;

export const createFiles = ({ folder, links, withinTime, missed }: FilesOptions): Files => ({
	async keep(id, baseUrl, expiresAt, made, signal) {
		const files: ResultFile[] = [];
		for (const [index, file] of made.files.entries()) {
			const bytes = await withinTime(fileMs, signal, (limited) => bytesOf(file, limited)).catch((cause: unknown) => {
				throw new Unfetched(describe(cause), { cause });
			});
			const { role, mediaType } = file;
			if (bytes === undefined) {
				if ("url" in file) files.push({ role, mediaType, url: file.url });
				continue;
			}
			const name = `${index}.${extensions.get(mediaType) ?? "bin"}`;
			await mkdir(join(folder, id), { recursive: true });
			await writeFile(join(folder, id, `${name}.part`), bytes);
			await rename(join(folder, id, `${name}.part`), join(folder, id, name));
			files.push({ role, mediaType, url: baseUrl + links.path(id, name, expiresAt) });
		}
		return withoutUndefined(made, files);
	},
	async open(id, file, range) {
		if (!taskId.test(id) || !fileName.test(file)) return undefined;
		const path = join(folder, id, file);
		const size = await stat(path).then(
			(found) => found.size,
			() => 0,
		);
		if (size === 0) {
			missed(id);
			return undefined;
		}
		const part = rangeOf(range, size);
		const { start, end } = part ?? { start: 0, end: size - 1 };
		const headers: Record<string, string> = {
			"content-type": mediaTypes.get(file.slice(file.indexOf(".") + 1)) ?? "application/octet-stream",
			"content-length": String(end - start + 1),
			"accept-ranges": "bytes",
			"cache-control": "private, max-age=3600",
			"x-content-type-options": "nosniff",
		};
		// A file and no stream: of that the server tells the length, so that whoever downloads it sees how far it is.
		const kept = await openAsBlob(path);
		if (!part) return new Response(kept, { headers });
		headers["content-range"] = `bytes ${start}-${end}/${size}`;
		return new Response(kept.slice(start, end + 1), { status: 206, headers });
	},
	async remove(id) {
		if (taskId.test(id)) await rm(join(folder, id), { recursive: true, force: true });
	},
});
