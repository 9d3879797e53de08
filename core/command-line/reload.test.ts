import { expect, test } from "bun:test";
import { reloadCommand } from "./reload.ts";

const reload = async (answers: Readonly<Record<string, object>>, server: string | undefined = "http://127.0.0.1:1") => {
	const lines: string[] = [];
	const call = async (_method: string, path: string) => answers[path];
	await reloadCommand.run({
		words: [],
		call,
		print: (line) => void lines.push(line),
		...(server !== "" && { server }),
	});
	return lines;
};

test("what was taken is said, with what counts from the next start on only", async () => {
	const taken = { reloaded: true, complaints: [] };
	const troubles = [
		{ what: "plugin", since: 0, message: "It failed.", advice: "Mend it." },
		{ what: "config", since: 0, message: "server.port is another now.", advice: "Start anew." },
	];
	expect(
		await reload({ "/admin/reload": taken, "/admin/troubles": { data: troubles, workers: 1, upstreams: [] } }),
	).toEqual([
		"the server runs on the config as it is now",
		"config: server.port is another now.",
		"  since 1970-01-01T00:00:00.000Z",
		"  what to do: Start anew.",
	]);
});

test("what was refused ends it with every complaint", async () => {
	const refused = { reloaded: false, complaints: ["portico.yaml:1:1 one", "portico.yaml:2:2 two"] };
	expect(reload({ "/admin/reload": refused })).rejects.toThrow(
		"portico.yaml:1:1 one\nportico.yaml:2:2 two\nthe server goes on with the config that it had",
	);
});

test("without a server there is nothing to reload", async () => {
	expect(reload({}, "")).rejects.toThrow("no server runs with this config and data folder; portico serve starts one");
});
