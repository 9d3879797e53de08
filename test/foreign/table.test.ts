/** A stranger's table: made, written and read by nothing but `#core`, from a folder that no package is installed in. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startGateway, type TestGateway } from "#core/testing";

const visits = `import { add, clock, definePlugin, routes, sql, store, t, tables } from "#core";

export default definePlugin({
	name: "visits",
	summary: "Counts who looks.",
	config: t.Object({}, { additionalProperties: false }),
	needs: { store, clock },
	gives: [routes, tables],
	setup: ({ name, needs }) => ({
		offers: [
			add(tables, {
				plugin: name,
				migrations: [{ name: "0001", statements: ["CREATE TABLE visits (id TEXT PRIMARY KEY, visitor TEXT NOT NULL)"] }],
			}),
			add(routes, {
				method: "GET",
				path: "/visits",
				access: "token",
				summary: "How often this token has looked.",
				async handle({ id, token }) {
					await needs.store.write([
						sql\`INSERT INTO visits (id, visitor) VALUES (\${id}, \${token.id}) ON CONFLICT (id) DO NOTHING\`,
					]);
					const [row] = await needs.store.all(sql\`SELECT count(*) AS times FROM visits WHERE visitor = \${token.id}\`);
					return Response.json(row);
				},
			}),
		],
	}),
});
`;

let folder: string;
let gateway: TestGateway;
beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-visits-"));
	mkdirSync(join(folder, "node_modules"));
	symlinkSync(resolve(import.meta.dir, "../.."), join(folder, "node_modules/portico"));
	writeFileSync(join(folder, "package.json"), '{ "type": "module", "imports": { "#core": "portico" } }');
	writeFileSync(join(folder, "visits.ts"), visits);
	gateway = await startGateway({ plugins: ["tokens", { use: join(folder, "visits.ts") }] });
});
afterAll(async () => {
	await gateway?.stop();
	rmSync(folder, { recursive: true, force: true });
});

test("counts for each token what it alone did", async () => {
	const look = async (key: string) =>
		await (await gateway.ask("/visits", undefined, { headers: { authorization: `Bearer ${key}` } })).json();
	const [first, second] = [await gateway.token(), await gateway.token()];
	expect(await look(first.key)).toEqual({ times: 1 });
	expect(await look(first.key)).toEqual({ times: 2 });
	expect(await look(second.key)).toEqual({ times: 1 });
});
