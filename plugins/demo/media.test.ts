/** The demo's files, read back by what is known of their formats rather than by what wrote them. */
import { describe, expect, test } from "bun:test";
import { inflateSync } from "node:zlib";
import type { TaskJob } from "../tasks/service.ts";
import { film } from "./film.ts";
import { wrap } from "./letters.ts";
import { drawPicture, pngOf } from "./picture.ts";
import { demoTaskUpstreams } from "./tasks.ts";
import { encodeTune } from "./tune.ts";
import { tuneMp3 } from "./tune-mp3.ts";

describe("a picture", () => {
	const bytes = Buffer.from(pngOf(drawPicture("DEMO", "a cat \u{1f408}", 320, 192)));

	test("is a PNG of its size whose chunks have the right checksums", () => {
		expect([...bytes.subarray(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
		const chunks = new Map<string, Buffer>();
		for (let at = 8; at < bytes.length; ) {
			const length = bytes.readUInt32BE(at);
			const type = bytes.toString("latin1", at + 4, at + 8);
			expect(bytes.readUInt32BE(at + 8 + length)).toBe(Bun.hash.crc32(bytes.subarray(at + 4, at + 8 + length)));
			chunks.set(type, bytes.subarray(at + 8, at + 8 + length));
			at += 12 + length;
		}
		expect([...chunks.keys()]).toEqual(["IHDR", "PLTE", "IDAT", "IEND"]);
		expect([chunks.get("IHDR")?.readUInt32BE(0), chunks.get("IHDR")?.readUInt32BE(4)]).toEqual([320, 192]);
		expect(inflateSync(chunks.get("IDAT") ?? "")).toHaveLength((1 + 320) * 192);
	});

	test("shows what was asked for: other words are another picture", () => {
		const other = pngOf(drawPicture("DEMO", "a dog", 320, 192));
		expect(Buffer.compare(bytes, Buffer.from(other))).not.toBe(0);
	});

	test("cuts long text to the room there is", () => {
		const lines = wrap("word ".repeat(500), 20, 5);
		expect(lines).toHaveLength(5);
		expect(lines.every((line) => line.length <= 20)).toBe(true);
		expect(wrap("x".repeat(50), 20, 5).map((line) => line.length)).toEqual([20, 20, 10]);
	});
});

describe("a tune", () => {
	test("is a WAV of the length asked for", () => {
		const bytes = Buffer.from(encodeTune("rain", 3));
		expect([bytes.toString("latin1", 0, 4), bytes.toString("latin1", 8, 16)]).toEqual(["RIFF", "WAVEfmt "]);
		expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
		expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
		const rate = bytes.readUInt32LE(24);
		expect(bytes.readUInt32LE(40) / (rate * 2)).toBe(3);
		expect(bytes.subarray(44).some((byte) => byte !== 0)).toBe(true);
	});
});

test("every preview is shown before the picture is done, however long each takes to draw", async () => {
	let time = 0;
	// Whoever reads it finds that a while has passed.
	const now = () => {
		time += 1500;
		return time;
	};
	const clock = { now, monotonic: now, after: () => () => undefined };
	const [upstream] = demoTaskUpstreams({ clock, seconds: 4, models: [] });
	const job: TaskJob = {
		id: "task_1",
		action: "IMAGINE",
		model: "demo",
		prompt: "rain",
		details: { size: "1x8" },
		input: {},
		submittedAt: 0,
		upstreamId: "demo-0-task_1",
		memo: { partialImages: 3 },
	};
	let shown = 0;
	for (let state = "waiting"; state !== "done"; ) {
		const [told] = (await upstream?.poll?.([job], AbortSignal.timeout(1000), () => void shown++)) ?? [];
		state = told?.state ?? "done";
	}
	expect(shown).toBe(3);
});

test("jobs that end together let others have their turn between them", async () => {
	const clock = { now: () => 10_000, monotonic: () => 10_000, after: () => () => undefined };
	const [upstream] = demoTaskUpstreams({ clock, seconds: 4, models: [] });
	const details = { size: "1x8" };
	const jobs = Array.from({ length: 10 }, (_, index): TaskJob => {
		const id = `task_${index}`;
		return { id, action: "IMAGINE", model: "demo", prompt: "rain", details, input: {}, submittedAt: 0, memo: {} };
	});
	let turns = 0;
	const count = (): void => {
		turns++;
		next = setImmediate(count);
	};
	let next = setImmediate(count);
	const states = await upstream?.poll?.(jobs, AbortSignal.timeout(60_000), () => undefined);
	clearImmediate(next);
	expect(states?.map((told) => told?.state)).toEqual(jobs.map(() => "done"));
	expect(turns).toBeGreaterThanOrEqual(jobs.length - 1);
});

test("the tune's MP3 is frames of 24 ms, whole, one after the other, which begin where its text says", () => {
	const bytes = Buffer.from(tuneMp3("rain", 7));
	let frames = 0;
	// MPEG-2, layer III, no checksum, 32 kbit/s, 24 kHz, no padding: 96 bytes. What follows the head says how far back a
	// frame's sound begins: in the frame itself.
	for (let at = 0; at < bytes.length; at += 96, frames++)
		expect([bytes.toString("hex", at, at + 3), bytes.readUInt8(at + 4)]).toEqual(["fff344", 0]);
	expect([frames, bytes.length]).toEqual([292, 292 * 96]); // 7.008 s
	expect(Buffer.compare(bytes, Buffer.from(tuneMp3("snow", 7)))).not.toBe(0);
});

test.each([1, 5, 12])("the film is an MP4 whose index comes first, of %d seconds", (seconds) => {
	const bytes = Buffer.from(film(seconds));
	const boxes = [];
	for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at))
		boxes.push(bytes.toString("latin1", at + 4, at + 8));
	expect(boxes).toEqual(["ftyp", "moov", "mdat"]);
	for (const box of ["mvhd", "mdhd"]) {
		const header = bytes.indexOf(box) + 4;
		expect(bytes.readUInt32BE(header + 16) / bytes.readUInt32BE(header + 12)).toBe(seconds);
	}
	const times = bytes.indexOf("stts") + 4;
	const [count, ticks] = [bytes.readUInt32BE(times + 8), bytes.readUInt32BE(times + 12)];
	expect((count * ticks) / bytes.readUInt32BE(bytes.indexOf("mdhd") + 16)).toBe(seconds);
});
