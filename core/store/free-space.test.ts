import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { createLog } from "../runtime/log.ts";
import { type Space, spaceOf, watchSpace } from "./free-space.ts";

const gibibyte = 1024 ** 3;

test("warns once when space becomes scarce, again when half of it is gone, and anew after there was enough", () => {
	const lines: string[] = [];
	let space: Space | undefined = { free: 50 * gibibyte, total: 100 * gibibyte };
	const look = watchSpace(
		() => space,
		createLog("debug", (line) => lines.push(line)),
	);
	const after = (free: number): number => {
		space = { free, total: 100 * gibibyte };
		look();
		return lines.length;
	};
	expect(after(2 * gibibyte)).toBe(0);
	expect(after(0.9 * gibibyte)).toBe(1);
	expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "warn", freeMegabytes: 921, totalMegabytes: 102_400 });
	expect(after(0.6 * gibibyte)).toBe(1);
	expect(after(0.4 * gibibyte)).toBe(2);
	expect(after(3 * gibibyte)).toBe(2);
	expect(after(0.9 * gibibyte)).toBe(3);
	space = undefined;
	look();
	expect(lines).toHaveLength(3);
});

test("a small disk is scarce at a tenth", () => {
	const lines: string[] = [];
	let free = 101;
	const look = watchSpace(
		() => ({ free, total: 1000 }),
		createLog("debug", (line) => lines.push(line)),
	);
	look();
	expect(lines).toHaveLength(0);
	free = 100;
	look();
	expect(lines).toHaveLength(1);
});

test("the disk of a folder is found, and none for a folder that is not there", () => {
	const { free = 0, total = 0 } = spaceOf(tmpdir()) ?? {};
	expect(free).toBeGreaterThan(0);
	expect(total).toBeGreaterThanOrEqual(free);
	expect(spaceOf("/no/such/folder")).toBeUndefined();
});
