/** How an upstream is that failed, and that nothing has asked since: known for an hour, and told for longer. */
import { expect, test } from "bun:test";
import { type Router, router, type UpstreamHealth } from "../contract/router.ts";
import type { Service } from "../contract/token.ts";
import type { Generation } from "./generation.ts";
import { notWell } from "./upstream-states.ts";

const failedAt = Date.parse("2041-01-01T00:00:00.000Z");
const hour = 3_600_000;
const lastFailure = { message: "down", at: new Date(failedAt).toISOString() };

const generationWith = (health: readonly UpstreamHealth[]): Generation => {
	const routing: Router = {
		plan: () => undefined,
		models: () => [],
		model: () => undefined,
		mayFollow: () => false,
		report: () => undefined,
		health: () => health,
	};
	const given = <T>(token: Service<T>): T | undefined => (token.id === router.id ? (routing as T) : undefined);
	const nothing = async () => undefined;
	return { all: () => [], owned: () => [], given, routes: [], rows: [], start: nothing, stop: nothing };
};

const isFailing = (health: Omit<UpstreamHealth, "upstream">, later = 0) => {
	const [found] = notWell(generationWith([{ upstream: "main", ...health }]), failedAt + later);
	return found?.failing;
};

test("one that failed counts as failing for an hour after its last failure, and is told afterwards too", () => {
	expect(isFailing({ circuit: "half-open", lastFailure }, hour)).toBe(true);
	expect(isFailing({ circuit: "half-open", lastFailure }, hour + 1)).toBe(false);
	// A router that does not say when: nobody knows better.
	expect(isFailing({ circuit: "half-open", lastFailure: { message: "down" } }, 9 * hour)).toBe(true);
});

test("calls are kept away, or no key is left: failing, however long ago the last failure was", () => {
	expect(isFailing({ circuit: "open", lastFailure }, 9 * hour)).toBe(true);
	expect(isFailing({ circuit: "closed", keys: [false], lastFailure }, 9 * hour)).toBe(true);
	expect(isFailing({ circuit: "closed", keys: [false, true] })).toBe(false);
	expect(isFailing({ circuit: "closed", keys: [true], lastFailure })).toBeUndefined();
});
