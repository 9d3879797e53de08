/** Days by the clocks of a zone are those of its calendar, whatever is done to its clocks, and add up to the whole. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asList, asRecord } from "#core";
import { startGateway, type TestGateway } from "#core/testing";
import { insertRows, type LedgerRow } from "./tables.ts";

let gateway: TestGateway;

const row = (time: string): LedgerRow => ({
	id: time,
	at: Date.parse(time),
	token: null,
	model: "fast",
	upstream: "main",
	ending: "completed",
	input_tokens: 1,
	cached_tokens: 0,
	output_tokens: 1,
	reasoning_tokens: 0,
	cost: 1_000_000,
	excess: 0,
	request: null,
	protocol: null,
	status: 200,
	tags: null,
	took_span: null,
	detail: "{}",
});

const times = [
	// New York goes forward on 14 March 2027 at 7:00 and back on 7 November 2027 at 6:00.
	"2027-03-14T04:59:59.999Z",
	"2027-03-14T05:00:00Z",
	"2027-03-15T03:59:59Z",
	"2027-03-15T04:00:00Z",
	"2027-11-07T04:30:00Z",
	"2027-11-08T04:59:00Z",
	"2027-11-08T05:00:00Z",
];

beforeAll(async () => {
	gateway = await startGateway({ plugins: ["tokens", "ledger"] });
	await gateway.store.write(insertRows(times.map(row)));
});
afterAll(() => gateway.stop());

const sums = async (query: string) =>
	asList((await gateway.admin("GET", `/admin/usage?${query}`))["data"]).map(asRecord);

const days = async (query: string) =>
	(await sums(`by=day&${query}`)).map(({ day, calls }) => `${day} ${calls}`).toSorted();

describe("days of a zone", () => {
	test("begin at its midnight, in summer and in winter", async () => {
		expect(await days("zone=America/New_York")).toEqual([
			"2027-03-13 1",
			"2027-03-14 2",
			"2027-03-15 1",
			"2027-11-07 2",
			"2027-11-08 1",
		]);
	});

	test("east of UTC are ahead of it", async () => {
		expect(await days("zone=Asia/Shanghai&from=2027-11-01")).toEqual(["2027-11-07 1", "2027-11-08 2"]);
	});

	test("are meant by dates that the time is kept to", async () => {
		const day = "from=2027-03-14&to=2027-03-15&by=";
		expect(await sums(`${day}&zone=America/New_York`)).toMatchObject([{ calls: 2 }]);
		expect(await sums(day)).toMatchObject([{ calls: 2 }]);
		expect(await days("from=2027-03-14&to=2027-03-15&zone=America/New_York")).toEqual(["2027-03-14 2"]);
		expect(await days("from=2027-03-14T05:00:00Z&zone=America/New_York")).toHaveLength(4);
	});

	test("begin with a whole hour of UTC, half an hour late where clocks are half an hour off", async () => {
		const late = ["2028-01-01T18:15:00Z", "2028-01-01T18:45:00Z", "2028-01-01T19:00:00Z"];
		await gateway.store.write(insertRows(late.map(row)));
		expect(await days("zone=Asia/Kolkata&from=2028-01-01")).toEqual(["2028-01-01 2", "2028-01-02 1"]);
		expect(await days("zone=Asia/Kolkata&from=2028-01-02")).toEqual(["2028-01-02 1"]);
		// From the rows themselves as from the sums of an hour.
		expect(await days("zone=Asia/Kolkata&from=2028-01-01T18:40:00Z")).toEqual(["2028-01-01 1", "2028-01-02 1"]);
	});

	test("are of UTC unless a zone is said", async () => {
		expect(await days("to=2027-04-01")).toEqual(["2027-03-14 2", "2027-03-15 2"]);
		expect(await days("to=2027-04-01&zone=UTC")).toEqual(["2027-03-14 2", "2027-03-15 2"]);
	});

	test.each(["Mars/Olympus", "+08:00", "", "CEST"])("of %p are refused in words", async (zone) => {
		const asked = gateway.admin("GET", `/admin/usage?by=day&zone=${encodeURIComponent(zone)}`);
		await expect(asked).rejects.toThrow("zone must be one of the IANA time zones, such as Europe/Berlin");
	});
});
