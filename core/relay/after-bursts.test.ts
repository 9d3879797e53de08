import { expect, test } from "bun:test";
import { createTestClock } from "#core/testing";
import { AfterBursts } from "./after-bursts.ts";

const megabyte = 1024 * 1024;

const watched = () => {
	const clock = createTestClock();
	const state = { running: 0, collected: 0 };
	const bursts = new AfterBursts(
		clock,
		() => state.running === 0,
		() => void state.collected++,
	);
	const call = (bytes: number) => {
		state.running++;
		return () => {
			state.running--;
			bursts.ended(bytes);
		};
	};
	return { clock, state, call };
};

test("a second after the last call of a burst, garbage is collected once", async () => {
	const { clock, state, call } = watched();
	const [first, second] = [call(20 * megabyte), call(20 * megabyte)];
	first();
	await clock.advance(5_000);
	expect(state.collected).toBe(0);
	second();
	await clock.advance(999);
	expect(state.collected).toBe(0);
	await clock.advance(1);
	expect(state.collected).toBe(1);
	call(1000)();
	await clock.advance(5_000);
	expect(state.collected).toBe(1);
});

test("never while a call is running: what it waits for comes first", async () => {
	const { clock, state, call } = watched();
	call(40 * megabyte)();
	await clock.advance(500);
	const next = call(1000);
	await clock.advance(60_000);
	expect(state.collected).toBe(0);
	next();
	await clock.advance(1_000);
	expect(state.collected).toBe(1);
});
