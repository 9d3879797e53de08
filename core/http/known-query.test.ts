/** A list that is asked for by a name it does not know says so: it would show everything. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startGateway, type TestGateway } from "#core/testing";
import { refuseUnknownQuery } from "./known-query.ts";

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startGateway({
		plugins: ["tokens", "ledger", "tasks", "webhooks", "people", "router", "demo", "chat-completions"],
	});
});
afterAll(() => gateway.stop());

const refusal = (address: string, known?: readonly string[]) => {
	const denial = refuseUnknownQuery(new URL(address, "http://here"), known);
	return denial && [denial.parameter, denial.message];
};

test("a name that a route does not take is told, and the nearest that it takes", () => {
	expect(refusal("/?modle=m", ["model", "token"])).toEqual([
		"modle",
		'This route has no parameter "modle" (did you mean "model"?); it takes model, token.',
	]);
	expect(refusal("/?x=1", [])).toEqual(["x", 'This route has no parameter "x"; it takes no parameters.']);
	expect(refusal("/?model=m&model=n&token=", ["model", "token"])).toBeUndefined();
	expect(refusal("/?anything=1")).toBeUndefined();
});

test.each([
	["/admin/calls?modle=gpt-5", 'no parameter "modle" (did you mean "model"?)'],
	["/admin/usage?by=day&status=500", 'no parameter "status"'],
	["/admin/tasks?tokens=a", '(did you mean "token"?)'],
	["/admin/deliveries?state=dead", 'no parameter "state"'],
	["/admin/audit?who=ada", "limit, after, operator, object"],
	["/admin/tokens?nmae=a", '(did you mean "name"?)'],
	["/admin/people?role=admin", "it takes no parameters"],
	["/admin/models?name=m", "it takes no parameters"],
	["/admin/models/explain?modl=m", '(did you mean "model"?)'],
	["/admin/clients?adress=https://a.example", '(did you mean "address"?)'],
])("%s is refused", async (path, words) => {
	const answer = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${gateway.adminToken}` } });
	expect(answer.status).toBe(400);
	expect((await answer.json()) as unknown).toMatchObject({
		error: { message: expect.stringContaining(words), param: path.split(/[?&=]/).at(-2) },
	});
});

test("only an operator is told what a route takes", async () => {
	const answer = await fetch(`${gateway.url}/admin/calls?modle=m`, { headers: { authorization: "Bearer wrong" } });
	expect(await answer.text()).not.toContain("modle");
});

test("the description of all routes has what lists take", async () => {
	const { paths } = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
		paths: Readonly<Record<string, { get: { parameters?: readonly { name: string; in: string }[] } }>>;
	};
	expect(paths["/admin/tokens"]?.get.parameters?.map(({ name, in: place }) => `${place} ${name}`)).toEqual([
		"query limit",
		"query after",
		"query name",
		"query owner",
	]);
});
