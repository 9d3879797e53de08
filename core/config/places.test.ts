import { expect, test } from "bun:test";
import { readPlaces } from "./places.ts";

const sources = { environment: { DATA: "there" }, readFile: () => "", withoutSecrets: true };
const asked = ["$", "{DATA}"].join("");

test.each([
	["", { url: "file:data/portico.db", dataFolder: undefined }],
	["- not a mapping", { url: "file:data/portico.db", dataFolder: undefined }],
	[
		"server: { drainSecs: 5, dataFolder: own }\ndatabase: { url: 'file:x.db' }",
		{ url: "file:x.db", dataFolder: "own" },
	],
	[`database: { url: "file:${asked}/x.db", colour: red }`, { url: "file:there/x.db", dataFolder: undefined }],
	["database: { url: 7 }", { url: "file:data/portico.db", dataFolder: undefined }],
	["database: { url: 'file:x.db' }\nplugins: [ { use: tokens }", { url: "file:x.db", dataFolder: undefined }],
])("%j", (text, places) => {
	expect(readPlaces(text, sources)).toEqual(places);
});
