/** Every loss there is, at the front door: told where it may be, refused before anything is sent where nothing may be lost. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asRecord, asText } from "#core";
import { loadProtocols } from "../matrix/protocols.ts";
import { type ProtocolName, protocolNames, withoutShared } from "../support/recordings.ts";
import { type DeclaredLoss, declaredLosses, lossKey, lossyModels } from "./declared.ts";
import table from "./fixtures/declared.json" with { type: "json" };
import { type LossWorld, startLossWorld } from "./world.ts";

// It was written by write-declared.ts, as what its type says.
const declared = table as unknown as readonly DeclaredLoss[];

let world: LossWorld;

beforeAll(async () => {
	world = await startLossWorld(
		protocolNames.flatMap((upstream) => lossyModels[upstream].slice(1).map((model) => [upstream, model] as const)),
	);
});
afterAll(() => world.stop());

/** What is kept in an account goes nowhere, lost or not: that has tests of its own. */
const namesAnAccount = /not known here as your own|Previous response with id/;

type Way = DeclaredLoss["to"][number];

const wrongWhereOpen = async ({ client, body }: DeclaredLoss, { upstream, model, told }: Way) => {
	const response = await world.send(client, upstream, body, { model });
	if (response.status !== 200) {
		const text = await response.text();
		return namesAnAccount.test(text) ? [] : [`${model} answers ${response.status}: ${text}`];
	}
	const heard = (response.headers.get("x-portico-dropped") ?? "").split(",");
	const silent = told.filter((path) => !heard.includes(path.replace(/[^\w.[\]-]/g, "_")));
	return silent.map((path) => `${model}: ${path} is not told`);
};

const wrongWhereStrict = async ({ client, body }: DeclaredLoss, { upstream, model, told }: Way) => {
	const before = world.upstream.received.length;
	const response = await world.send(client, upstream, body, { model, strict: true });
	if (response.status !== 400) return [`${model}: ${told.join()} is not refused: ${response.status}`];
	if (world.upstream.received.length > before) return [`${model}: ${told.join()} was sent all the same`];
	const message = asText(asRecord(asRecord(await response.json())["error"])["message"]) ?? "";
	if (namesAnAccount.test(message)) return [];
	const unnamed = told.filter((path) => !message.includes(path));
	return unnamed.map((path) => `${model}: the refusal does not name ${path}`);
};

describe.each(protocolNames)("a client of %s", (client: ProtocolName) => {
	const own = declared.filter((row) => row.client === client);

	test(`meets each of its losses (${own.length} requests)`, async () => {
		expect(own.length).toBeGreaterThan(15);
		const found: string[] = [];
		for (const row of own)
			for (const way of row.to) found.push(...(await wrongWhereOpen(row, way)), ...(await wrongWhereStrict(row, way)));
		expect(found).toEqual([]);
	}, 60_000);
});

test.skipIf(withoutShared)(
	"the table holds every loss of the published requests",
	async () => {
		const keysOf = (rows: readonly DeclaredLoss[]): ReadonlySet<string> =>
			new Set(
				rows.flatMap(({ client, to }) =>
					to.flatMap(({ upstream, told }) => told.map((path) => lossKey(client, upstream, path))),
				),
			);
		const known = keysOf(declared);
		expect([...keysOf(declaredLosses(await loadProtocols()))].filter((key) => !known.has(key))).toEqual([]);
	},
	60_000,
);
