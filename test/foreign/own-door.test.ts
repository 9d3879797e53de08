/** A company's door beside people's own sign-in: whom it lets in is told so, and nobody is told to be out whom it still lets in. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { TestGateway } from "#core/testing";
import { type Browser, createBrowser, joined, startPeopleWorld } from "../support/people-world.ts";
import { writeStranger } from "./stranger.ts";

const plugin = `import { add, definePlugin, doorkeepers, t } from "#core";
import { people } from "#core/plugins/people";

export default definePlugin({
	name: "company-door",
	summary: "Lets in whom the company's proxy names.",
	config: t.Object({}),
	needs: { people },
	gives: [doorkeepers],
	setup: ({ name, needs }) => ({
		offers: [
			add(doorkeepers, {
				name,
				async admit({ request }) {
					const who = request.headers.get("x-company");
					return who === null ? undefined : await needs.people.named(who);
				},
			}),
		],
	}),
});
`;

const stranger = writeStranger(plugin);
const byDoor = { "x-company": "Anna" };
let gateway: TestGateway;
let anna: Browser;
beforeAll(async () => {
	gateway = await startPeopleWorld({ plugins: ["tokens", "people", { use: stranger.file }] });
	anna = await joined(gateway, "Anna");
});
afterAll(async () => {
	await gateway.stop();
	stranger.remove();
});

const letIn = { error: { code: "let_in_elsewhere", message: expect.stringContaining("there") } };

test("who came by the door alone is not told to be signed out, nor that nobody is signed in", async () => {
	const browser = createBrowser(gateway.url);
	const out = await browser.ask("DELETE", "/v1/session", undefined, byDoor);
	expect([out.status, out.body]).toMatchObject([409, letIn]);
	const words = { password: "correct horse battery", newPassword: "battery horse correct" };
	const changed = await browser.ask("POST", "/v1/session/password", words, byDoor);
	expect([changed.status, changed.body]).toMatchObject([409, letIn]);
	expect(await browser.ask("GET", "/v1/session", undefined, byDoor)).toMatchObject({ body: { signedIn: true } });
});

test("a session that is ended leaves its person in by the door, and that is told", async () => {
	const out = await anna.ask("DELETE", "/v1/session", undefined, byDoor);
	expect([out.status, out.body]).toMatchObject([409, letIn]);
	expect(await anna.ask("GET", "/v1/session")).toMatchObject({ body: { signedIn: false } });
	expect(await anna.ask("GET", "/admin/tokens", undefined, byDoor)).toMatchObject({ status: 200 });
	expect(await anna.ask("GET", "/v1/session", undefined, byDoor)).toMatchObject({ body: { signedIn: true } });
});
