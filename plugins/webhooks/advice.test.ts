/** What is advised about a dead callback holds: it is sent again to the address it had. */
import { expect, test } from "bun:test";
import { adviceOn } from "./advice.ts";
import type { DeliveryView } from "./service.ts";

const dead = (error: string): DeliveryView => ({
	object: "delivery",
	id: "msg_1",
	subject: "task_1",
	sequence: 1,
	event: "SUCCESS",
	token: "tok_1",
	url: "https://receiver.example/hook",
	status: "dead",
	created_at: 1,
	next_attempt_at: null,
	finished_at: 2,
	attempts: [
		{
			object: "delivery.attempt",
			number: 4,
			cause: "schedule",
			started_at: 1,
			duration_ms: 1,
			address: null,
			status: null,
			error,
		},
	],
});

test.each([
	["http_202", /answer that, or set webhooks\.success to 2xx/],
	["http_204", /answer that, or set webhooks\.success to 2xx/],
	["http_410", /put it back there/],
	["http_308", /let it take them here/],
	["http_503", /^The receiver fails/],
])("%s", (error, words) => {
	expect(adviceOn(dead(error))).toMatch(words);
	expect(adviceOn(dead(error))).toContain("to the same address: portico deliveries redeliver msg_1.");
});
