/**
 * The official client libraries of Python, unchanged but for address and key, each against a model of every dialect that
 * can serve it. PORTICO_PYTHON names a Python that has what `python/requirements.txt` lists; without it they are skipped.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { asRecord, parseJson } from "../../core/neutral/json.ts";
import { type EndpointWorlds, startEndpointWorlds } from "./python-worlds.ts";

const python = process.env["PORTICO_PYTHON"] ?? "";

let worlds: EndpointWorlds;
beforeAll(async () => {
	if (python !== "") worlds = await startEndpointWorlds();
});
afterAll(async () => {
	if (python !== "") await worlds.stop();
});

/** What a file's checks print, to its end. */
const outcomes = (
	file: string,
): Promise<{ readonly code: number | null; readonly said: string; readonly errors: string }> =>
	new Promise((resolve, reject) => {
		const { url, key } = worlds.near;
		const child = spawn(python, [join(import.meta.dir, "python", file)], {
			stdio: ["ignore", "pipe", "pipe"],
			env: { PATH: process.env["PATH"], PORTICO_URL: url, PORTICO_KEY: key, PYTHONDONTWRITEBYTECODE: "1" },
		});
		let said = "";
		let errors = "";
		child.stdout.on("data", (piece) => {
			said += String(piece);
		});
		child.stderr.on("data", (piece) => {
			errors += String(piece);
		});
		child.once("error", reject);
		child.once("close", (code) => resolve({ code, said, errors }));
	});

// How many checks each file has, so that one which runs none does not pass.
test.skipIf(python === "").each([
	["openai_client.py", 48],
	["anthropic_client.py", 11],
	["genai_client.py", 17],
	["cohere_client.py", 11],
	["voyage_client.py", 11],
	["langchain_client.py", 15],
])(
	"%s (PORTICO_PYTHON)",
	async (file, count) => {
		const { code, said, errors } = await outcomes(file);
		const results = said
			.split("\n")
			.filter((line) => line !== "")
			.map((line) => asRecord(parseJson(line)));
		expect(results.filter(({ passed }) => passed !== true)).toEqual([]);
		expect({ code, count: results.length, errors: code === 0 ? "" : errors }).toEqual({ code: 0, count, errors: "" });
	},
	120_000,
);
