/** An upstream that speaks the client's protocol: what goes there and what comes back is what was sent. */
import { describe, expect, test } from "bun:test";
import { EventFrames } from "../../core/wire/frames.ts";
import { chunkings } from "../support/chunkings.ts";
import { recordings } from "../support/recordings.ts";
import { askOf } from "./ask.ts";
import { loadProtocols } from "./protocols.ts";
import { eventsOf } from "./translate.ts";

const official = recordings().filter(({ official, status }) => official && status < 400);

describe("every exchange of the providers", () => {
	test.each([...chunkings().keys()])("gives the same events at every chunking (%d)", (number) => {
		for (const { answer, name } of official) {
			if (answer.form !== "events") continue;
			const frames = new EventFrames(1e8);
			const chunks = chunkings(7)[number]?.cut(answer.text) ?? [];
			const events = [...chunks.flatMap((chunk) => [...frames.feed(chunk)]), ...frames.end()];
			expect(events, name).toEqual([...eventsOf(answer)]);
		}
	});

	test("goes to its upstream byte for byte, but for usage that is asked for", async () => {
		const protocols = await loadProtocols();
		for (const { protocol: name, request, url, name: place } of official) {
			const protocol = protocols.get(name);
			if (!protocol || !request) continue;
			const { pathname, search } = new URL(url);
			const ask = askOf(protocol, pathname + search, request);
			const { body } = protocol.passthrough.request(ask, { model: ask.call.name, capabilities: {} });
			const text = typeof body === "string" ? body : new TextDecoder().decode(body);
			if (name === "chat-completions" && ask.call.stream) {
				const { stream_options: _, ...sent } = JSON.parse(text);
				const { stream_options: __, ...meant } = request;
				expect(sent, place).toEqual(meant);
			} else expect(text, place).toBe(ask.body.text);
		}
	});
});
