/** Forms that are none: boundaries, parts and names gone wrong, sent to every route that takes a task on. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dialects, startTaskDoors, type TaskDoors, type Trouble } from "./task-dialects.ts";

let gateway: TaskDoors;
beforeAll(async () => {
	gateway = await startTaskDoors();
});
afterAll(() => gateway.close());

const boundary = "edge-of-a-part";
const multipart = `multipart/form-data; boundary=${boundary}`;

const part = (name: string, value: string, more = ""): string =>
	`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const end = `--${boundary}--\r\n`;

// Google's clients send no forms: what they ask for is nested deeper than a form can say.
for (const { name, path, good, wordOf, told, idOf } of dialects.filter(({ modelPath }) => !modelPath))
	describe(name, () => {
		const send = (body: BodyInit, type: string | undefined): Promise<Response> =>
			fetch(gateway.url + path, {
				method: "POST",
				body,
				headers: { authorization: `Bearer ${gateway.key}`, ...(type !== undefined && { "content-type": type }) },
			});
		const fields = Object.entries(good).map(([field, value]): [string, string] => [field, String(value)]);
		const parts = fields.map(([field, value]) => part(field, value)).join("");
		const without = (text: string) =>
			fields
				.filter(([, value]) => value !== text)
				.map(([field, value]) => part(field, value))
				.join("");
		const [promptField = ""] = fields.find(([, value]) => /^a /.test(value)) ?? [];
		const modelField = fields.find(([, value]) => value === "dear")?.[0] ?? "";
		const refused = async (response: Response, trouble: Trouble = "invalid"): Promise<void> => {
			const body = await response.text();
			expect({ status: response.status, body }).toMatchObject({ status: told[trouble][0] });
			expect(wordOf(JSON.parse(body))).toStartWith(told[trouble][1]);
		};
		const taken = async (response: Response): Promise<void> => {
			const body = (await response.json()) as Record<string, unknown>;
			expect({ ok: response.ok, body }).toMatchObject({ ok: true });
			expect(idOf(body)).toMatch(/^task_/);
		};

		test("what is right is taken on, as either kind of form", async () => {
			await taken(await send(parts + end, multipart));
			await taken(await send(new URLSearchParams(fields), undefined));
			const form = new FormData();
			for (const [field, value] of fields) form.set(field, value);
			await taken(await send(form, undefined));
			await taken(await send(JSON.stringify(good), "application/x-www-form-urlencoded"));
		});

		test.each([
			["no boundary", "multipart/form-data"],
			["an empty boundary", "multipart/form-data; boundary="],
			["a boundary of 71 characters", `multipart/form-data; boundary=${"b".repeat(71)}`],
			["a boundary of 1 KB", `multipart/form-data; boundary=${"b".repeat(1024)}`],
			["a boundary that is not in the body", "multipart/form-data; boundary=elsewhere"],
			["another kind of multipart", `multipart/mixed; boundary=${boundary}`],
		])("%s", async (label, type) => {
			await refused(await send(parts + end, type), label === "another kind of multipart" ? "type" : "invalid");
		});

		test.each([
			["nothing at all", ""],
			["only the end", end],
			["cut off in a value", parts.slice(0, -6)],
			["cut off in a part's head", `${parts}--${boundary}\r\nContent-Dispo`],
			["without its end", parts],
			["the prompt under a wrong name", without(String(good[promptField])) + part(`${promptField}t`, "a cat") + end],
			[
				"the prompt as a file",
				without(String(good[promptField])) + part(promptField, "a cat", '; filename="p.txt"') + end,
			],
			["the prompt twice", parts + part(promptField, "another") + end],
			["the model twice", parts + part(modelField, "dear2") + end],
			["a file nobody takes", parts + part("mask", "\u0089PNG", '; filename="../../etc/passwd"') + end],
			[
				"a callback twice",
				parts + part("notifyHook", "https://a.example/") + part("notifyHook", "https://b.example/") + end,
			],
		])("%s: 400", async (_, body) => {
			await refused(await send(body, multipart));
		});

		test.each([1001, 10_000])("%i parts: 400, and nobody waits for it", async (count) => {
			const many = part("x", "")
				.repeat(count)
				.replaceAll("Content-Disposition: form-data; ", "Content-Disposition:form-data;");
			expect(Buffer.byteLength(many)).toBeLessThan(1_000_000);
			await refused(await send(parts + many + end, multipart), Buffer.byteLength(many) > 120_000 ? "large" : "invalid");
			await refused(await send("x=&".repeat(count), "application/x-www-form-urlencoded"));
		});

		test("a part that is too large: 413, declared or not", async () => {
			const large = parts + part("image", "x".repeat(200_000), '; filename="x.png"') + end;
			await refused(await send(large, multipart), "large");
			const chunked = new ReadableStream({
				start(controller) {
					for (let at = 0; at < large.length; at += 10_000)
						controller.enqueue(new TextEncoder().encode(large.slice(at, at + 10_000)));
					controller.close();
				},
			});
			await refused(await send(chunked, multipart), "large");
		});

		test("names that mean something elsewhere are data, and broken escapes are text", async () => {
			const strange =
				part("__proto__", "1") + part("__proto__[polluted]", "1") + part("a[b][c]", "1") + part("constructor[]", "1");
			await taken(await send(parts + strange + end, multipart));
			expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
			await taken(
				await send(`${new URLSearchParams(fields)}&x=%zz&%=&=%00&y=%ff`, "application/x-www-form-urlencoded"),
			);
		});

		test("afterwards all is well, and no route has failed", async () => {
			await taken(await send(parts + end, multipart));
			expect(gateway.log.filter(({ level }) => level === "error")).toEqual([]);
		});
	});
