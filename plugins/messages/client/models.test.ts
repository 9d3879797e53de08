import { expect, test } from "bun:test";
import { sharedFolder, withoutShared } from "../../../test/support/recordings.ts";
import { messages } from "../protocol.ts";
import { models } from "./models.ts";

const info = (name: string) => ({
	name,
	createdAt: 1_700_000_000,
	ownedBy: "x",
	capabilities: { contextWindow: 200_000, maxOutput: 64_000 },
});
const all = Array.from({ length: 45 }, (_, at) => info(`m${at + 1}`));
const page = (query: string) =>
	models.list(all, new URL(`http://portico.test/v1/models?${query}`)) as {
		data: { id: string }[];
		has_more: boolean;
		first_id: string | null;
		last_id: string | null;
	};

test("whoever names the protocol's version is answered in its shape", () => {
	const url = new URL("http://portico.test/v1/models");
	const claims = (headers: Record<string, string>) => messages.client.claims?.(new Headers(headers), url);
	expect(claims({ "anthropic-version": "2023-06-01" })).toBe(true);
	expect(claims({ authorization: "Bearer x" })).toBe(false);
});

test("a model is told with its limit and the time it was made", () => {
	expect(models.item(info("fast"))).toEqual({
		type: "model",
		id: "fast",
		display_name: "fast",
		created_at: "2023-11-14T22:13:20Z",
		capabilities: null,
		// Anthropic's SDK for Java insists on it.
		lifecycle: "active",
		max_input_tokens: 200_000,
		max_tokens: 64_000,
	});
});

test("pages have the asked size and know whether there are more", () => {
	expect(page("")).toMatchObject({ has_more: true, first_id: "m1", last_id: "m20" });
	expect(page("limit=1000")).toMatchObject({ has_more: false, first_id: "m1", last_id: "m45" });
	expect(page("limit=10&after_id=m30").data.map(({ id }) => id)).toEqual(
		page("limit=40")
			.data.slice(30)
			.map(({ id }) => id),
	);
	expect(page("limit=5&before_id=m11")).toMatchObject({ has_more: true, first_id: "m6", last_id: "m10" });
	expect(page("limit=-3").data).toHaveLength(20);
	expect(models.list([], new URL("http://portico.test/v1/models"))).toEqual({
		data: [],
		has_more: false,
		first_id: null,
		last_id: null,
	});
});

test.skipIf(withoutShared)("a list conforms to the published schema", async () => {
	const { an, check } = await import(`${sharedFolder}/tools/schemas.mjs`);
	expect(check(an("ListResponse_ModelInfo_"), page(""))).toBeNull();
});
