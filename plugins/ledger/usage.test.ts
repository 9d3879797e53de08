import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { startGateway, type TestGateway } from "#core/testing";
import { insertRows, type LedgerRow } from "./tables.ts";

let gateway: TestGateway;

const day = Date.UTC(2027, 0, 31);

const row = (id: string, more: Partial<LedgerRow>): LedgerRow => ({
	id,
	at: day,
	token: "tok_a",
	model: "fast",
	upstream: "main",
	ending: "completed",
	input_tokens: 10,
	cached_tokens: 3,
	output_tokens: 5,
	reasoning_tokens: 2,
	cost: null,
	excess: 0,
	request: null,
	protocol: null,
	status: null,
	tags: null,
	took_span: null,
	detail: "{}",
	...more,
});

const nothing = { input_tokens: 0, cached_tokens: 0, output_tokens: 0, reasoning_tokens: 0 };

const rows: readonly LedgerRow[] = [
	row("1", { cost: 1_500_000, excess: 500_000 }),
	row("2", { at: day + 86_399_999, cost: 250_000, model: "slow" }),
	row("3", { at: day + 86_400_000, token: "tok_b", upstream: null, ending: "refused", ...nothing }),
	row("4", { at: day + 86_400_001, token: "tok_b", ending: "client_left", output_tokens: 1 }),
];

beforeAll(async () => {
	gateway = await startGateway({ plugins: ["tokens", "ledger"] });
	await gateway.store.write(insertRows(rows));
});
afterAll(() => gateway.stop());

const usage = async (query: string) => (await gateway.admin("GET", `/admin/usage?${query}`))["data"];

describe("the sums of the ledger", () => {
	test("of the dearest apart, and of the others together", async () => {
		const { data, others } = await gateway.admin("GET", "/admin/usage?by=token,ending&top=1");
		expect(data).toMatchObject([{ token: "tok_a", ending: "completed", calls: 2, cost: 1.75 }]);
		expect(others).toMatchObject({
			count: 1,
			data: [{ ending: "client_left", outputTokens: 1 }, { ending: "refused" }],
		});
		const all = await gateway.admin("GET", "/admin/usage?by=token&top=9");
		expect(all["data"]).toMatchObject([{ token: "tok_a" }, { token: "tok_b", calls: 2 }]);
		expect(all["others"]).toEqual({ count: 0, data: [] });
		await expect(usage("by=token&top=0")).rejects.toThrow("top must be");
	});
	test("by model", async () => {
		expect(await usage("by=model")).toMatchObject([
			{
				model: "fast",
				calls: 3,
				completed: 1,
				inputTokens: 20,
				cachedTokens: 6,
				outputTokens: 6,
				reasoningTokens: 4,
				cost: 1.5,
				excess: 0.5,
			},
			{
				model: "slow",
				calls: 1,
				completed: 1,
				inputTokens: 10,
				cachedTokens: 3,
				outputTokens: 5,
				reasoningTokens: 2,
				cost: 0.25,
				excess: 0,
			},
		]);
	});

	test("by token and day, of UTC", async () => {
		expect(await usage("by=token,day")).toMatchObject([
			{ token: "tok_a", day: "2027-01-31", calls: 2, cost: 1.75 },
			{ token: "tok_b", day: "2027-02-01", calls: 2, completed: 0 },
		]);
	});

	test("by nothing: one line", async () => {
		expect(await usage("by=")).toMatchObject([{ calls: 4, inputTokens: 30, outputTokens: 11 }]);
	});

	test("from a time on, up to but not including another", async () => {
		expect(await usage("by=&from=2027-01-31&to=2027-02-01")).toMatchObject([{ calls: 2 }]);
		expect(await usage("by=&from=2027-02-01T00:00:00.001Z")).toMatchObject([{ calls: 1 }]);
	});

	test("not from what is another time to each reader", async () => {
		for (const from of ["2027-02-30", "Jan 31", "1.11.2027", "2027-01-31T12:00", "1"])
			await expect(usage(`by=&from=${encodeURIComponent(from)}`)).rejects.toThrow("from must be a date such as");
	});

	test("of one token, model or upstream", async () => {
		expect(await usage("by=&token=tok_b")).toMatchObject([{ calls: 2 }]);
		expect(await usage("by=&model=slow")).toMatchObject([{ calls: 1 }]);
		expect(await usage("by=&upstream=main")).toMatchObject([{ calls: 3 }]);
		await expect(usage("by=model&token=' OR 1=1 --")).rejects.toThrow("No token is or was called");
	});

	test.each(["by=colour", "from=yesterday", "to=never"])("%s is refused in words", async (query) => {
		await expect(usage(query)).rejects.toThrow("400");
	});
});

describe("a token that is asked about", () => {
	test("may be named by its name, and several of one name are told apart", async () => {
		const made = async (name: string) => String((await gateway.admin("POST", "/admin/tokens", { name }))["id"]);
		const [one, twin, other] = [await made("night shift"), await made("twin"), await made("twin")];
		await gateway.store.write(insertRows([row("named", { token: one, at: day - 86_400_000, cost: 5 })]));
		const { data } = await gateway.admin("GET", "/admin/calls?token=night%20shift");
		expect(data).toMatchObject([{ id: "named", token: one }]);
		expect(await usage("by=token&token=night%20shift")).toMatchObject([{ token: one, calls: 1 }]);
		for (const path of ["calls", "usage"]) {
			const asked = gateway.admin("GET", `/admin/${path}?token=twin`);
			await expect(asked).rejects.toThrow(/Several tokens are or were called .*twin/);
			await expect(gateway.admin("GET", `/admin/${path}?token=${twin}`)).resolves.toMatchObject({ data: [] });
			await expect(gateway.admin("GET", `/admin/${path}?ending=fail`)).rejects.toThrow("one of completed, client_left");
		}
		expect(twin).not.toBe(other);
		await gateway.store.write([sql`DELETE FROM ledger WHERE id = 'named'`]);
	});
});

test("calls that did not complete are found at once, whatever else became of them", async () => {
	await gateway.store.write(insertRows([row("back", { ending: "lease_found" })]));
	const { data } = await gateway.admin("GET", "/admin/calls?ending=not_completed");
	expect(data).toMatchObject([
		{ id: "4", ending: "client_left" },
		{ id: "3", ending: "refused" },
	]);
	const wrong = gateway.admin("GET", "/admin/calls?ending=not_complete");
	await expect(wrong).rejects.toThrow("lease_found, not_completed, not");
	await expect(usage("ending=not_completed")).rejects.toThrow("ending must be one of");
	await gateway.store.write([sql`DELETE FROM ledger WHERE id = 'back'`]);
});

describe("calls that lack something", () => {
	const found = async (query: string) =>
		((await gateway.admin("GET", `/admin/calls?${query}`))["data"] as { id: string }[]).map(({ id }) => id).toSorted();

	test("are found by what they lack, alone or with more", async () => {
		const { id, owner } = (await gateway.admin("POST", "/admin/tokens", { name: "nobody's" })) as {
			id: string;
			owner?: string;
		};
		expect(owner).toBeUndefined();
		await gateway.store.write(
			insertRows([
				row("no-token", { token: null, model: "none" }),
				row("no-model", { token: id, model: null, upstream: null, ending: "refused" }),
				row("neither", { token: null, model: null }),
			]),
		);
		await gateway.store.write([
			sql`INSERT INTO tokens (id, name, digest, preview, settings, disabled, deleted, created_at, owner, revision)
				SELECT 'tok_a', 'ada', 'd', 'p', '{}', 0, 0, 0, 'per_ada', max(revision) + 1 FROM tokens`,
		]);
		expect(await found("without=token")).toEqual(["neither", "no-token"]);
		expect(await found("without=model")).toEqual(["neither", "no-model"]);
		expect(await found("without=token,model")).toEqual(["neither"]);
		expect(await found(`without=model&token=${id}`)).toEqual(["no-model"]);
		expect(await found("without=upstream")).toEqual(["3", "no-model"]);
		expect(await found("without=owner")).toEqual(["3", "4", "neither", "no-model", "no-token"]);
		await expect(found("without=toString")).rejects.toThrow("without takes token, model, upstream, owner");
	});
});
