/** Callback addresses that lead where nobody may call: refused when a task is submitted, in every dialect, and nothing is made. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { asList, asRecord } from "#core";
import { dialects, startTaskDoors, type TaskDoors } from "./task-dialects.ts";

let gateway: TaskDoors;
beforeAll(async () => {
	gateway = await startTaskDoors();
});
afterAll(() => gateway.close());

/** By their text, whoever resolves the name. */
const inner = [
	"http://127.0.0.1/",
	"http://127.1/",
	"http://2130706433/",
	"http://0x7f.1/",
	"http://0177.0.0.1/",
	"http://127.0.0.1./",
	"http://０x7f.1/",
	"http://①②⑦.⓪.⓪.①/",
	"http://127。0。0。1/",
	"http://0/",
	"http://0.0.0.0/",
	"http://10.0.0.1/",
	"http://172.16.0.1/",
	"http://192.168.1.1/",
	"http://100.64.0.1/",
	"http://169.254.169.254/latest/meta-data/",
	"http://168.63.129.16/",
	"http://224.0.0.1/",
	"http://255.255.255.255/",
	"http://[::1]/",
	"http://[::]/",
	"http://[::ffff:10.0.0.1]/",
	"http://[::ffff:7f00:1]/",
	"http://[64:ff9b::a00:1]/",
	"http://[2002:7f00:1::]/",
	"http://[fe80::1]/",
	"http://[fd00::1]/",
	"http://localhost/",
	"http://LOCALHOST./",
	"http://lo\u00adcalhost/",
	"http://ⓛocalhost/",
	"http://a.localhost/",
	"http://metadata.google.internal/",
	"http://router.lan/",
	"http://intranet/",
	"http://service.local/",
	"\thttp://127.0.0.1/",
	"http:\\\\127.0.0.1\\",
	"http:127.0.0.1",
];

const wrong = [
	"not a url",
	"/hook",
	"//example.com/hook",
	"ftp://example.com/",
	"file:///etc/passwd",
	"javascript:alert(1)",
	"data:text/plain,x",
	"gopher://example.com/",
	"http://",
	"http://user:password@example.com/",
	"http://user@example.com/",
	"http://example.com@127.0.0.1/",
	"https://example.com:22/",
	"https://example.com:25/",
	"https://example.com:0/",
	"https://example.com:65536/",
	"https://exa mple.com/",
	"https://[::1/",
	"https://1.2.3.4.5/",
	`https://example.com/${"x".repeat(2000)}`,
];

const right: readonly (readonly [string, string])[] = [
	["https://example.com/hook?a=b#part", "https://example.com/hook?a=b"],
	["HTTPS://EXAMPLE.com:443/Hook", "https://example.com/Hook"],
	["  https://example.com:8443/  ", "https://example.com:8443/"],
	["https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"],
	["http://example.com:80/a b", "http://example.com/a%20b"],
	["https://exam\nple.com/\r\nx-evil:%201", "https://example.com/x-evil:%201"],
];

const names = ["notifyHook", "notify_hook", "callback_url", "callbackUrl", "callBackUrl", "webhook_url", "webhookUrl"];

for (const [index, { name, path, good, wordOf, told }] of dialects.entries())
	describe(name, () => {
		const field = names[index % names.length] ?? "notifyHook";
		const post = (key: string, change: object): Promise<Response> =>
			gateway.ask(path, { ...good, ...change }, { headers: { authorization: `Bearer ${key}` } });
		const tasksOf = async (key: string): Promise<readonly Record<string, unknown>[]> => {
			const response = await gateway.ask("/v1/tasks", undefined, { headers: { authorization: `Bearer ${key}` } });
			return asList(asRecord(await response.json())["data"]).map(asRecord);
		};

		test(`${field} to an inner or a wrong address: 400, nothing made, nothing held, and one answer for all inner ones`, async () => {
			const { id, key } = await gateway.token({ quota: 1000 });
			const answers = new Set<string>();
			for (const url of [...inner, ...wrong]) {
				const response = await post(key, { [field]: url });
				const body: unknown = await response.json();
				expect({ url, status: response.status }).toEqual({ url, status: 400 });
				expect(wordOf(body)).toMatch(/callback_url|^(?:1200|INVALID_ARGUMENT|invalid_request)$/);
				if (inner.includes(url)) answers.add(JSON.stringify(body).replace(/"request_id":"[^"]*"/, ""));
			}
			expect(answers.size).toBe(1);
			expect([...answers].join()).not.toMatch(/127|169|localhost/);
			expect(await tasksOf(key)).toEqual([]);
			expect(await gateway.admin("GET", `/admin/tokens/${id}`)).toMatchObject({ used: 0, remaining: 1000 });
		});

		test("something that is no text: 400", async () => {
			for (const value of [7, true, ["https://example.com/"], { url: "https://example.com/" }]) {
				const response = await post(gateway.key, { [field]: value });
				expect([response.status, wordOf(await response.json())]).toEqual([400, expect.stringMatching(told.invalid[1])]);
			}
		});

		test("an address of the public internet is kept in one spelling; blanks and null mean none", async () => {
			const { key } = await gateway.token();
			for (const [url] of right) expect((await post(key, { [field]: url })).ok).toBe(true);
			for (const none of ["", "   ", null]) expect((await post(key, { [field]: none })).ok).toBe(true);
			const kept = (await tasksOf(key)).map(({ notifyHook }) => notifyHook);
			expect(kept.toSorted()).toEqual([...right.map(([, url]) => url), "", "", ""].toSorted());
			const rows = await gateway.store.all(
				sql`SELECT url FROM deliveries WHERE subject IN (SELECT value FROM json_each(${JSON.stringify((await tasksOf(key)).map(({ id }) => id))})) AND event = 'NOT_START'`,
			);
			expect(rows.map((row) => row["url"]).toSorted()).toEqual(right.map(([, url]) => url).toSorted());
		});
	});

test("the test callback goes nowhere that a task's would not", async () => {
	for (const url of [...inner, ...wrong]) {
		const response = await gateway.ask("/v1/webhooks/test", { url });
		expect({ url, status: response.status }).toEqual({ url, status: 400 });
	}
	for (const url of [7, null, undefined, {}, []])
		expect((await gateway.ask("/v1/webhooks/test", { url })).status).toBe(400);
});

test("no route has failed, and nothing was dialled", () => {
	expect(gateway.log.filter(({ level }) => level === "error")).toEqual([]);
});
