/** `portico deliveries`: callbacks over all tokens, one with its attempts, sending again, and a test. */
import {
	asList,
	asNumber,
	asRecord,
	asText,
	type Command,
	type CommandRun,
	definedOnly,
	didYouMean,
	misused,
	parseWords,
	tableLines,
	textOptions,
	type WireRecord,
} from "#core";
import { withoutKey } from "../tokens/service.ts";

const usage = [
	"portico deliveries [--status dead|pending|sending|delivered] [--token ID|NAME|KEY] [--task ID] [--limit N] [--json]",
	"portico deliveries ID [--json]",
	"portico deliveries redeliver ID [--json]",
	"portico deliveries redeliver [--token ID|NAME|KEY] [--from TIME] [--to TIME] [--json]",
	"portico deliveries test --url URL [--token ID|NAME|KEY] [--json]",
	"",
	"  redeliver   sends one again, whatever became of it; without ID the dead ones",
	"  test        sends a callback that tells nothing",
	"  --from TIME made from then on: 2027-01-31 (UTC) or 2027-01-31T12:00:00Z",
	"  --to TIME   until just before then",
].join("\n");

const options = {
	...textOptions("status", "token", "task", "limit", "from", "to", "url"),
	json: { type: "boolean" },
} as const;

const titles = ["created", "id", "token", "event", "status", "attempts", "last error", "url", "token id"];

const cellsOf = (delivery: WireRecord): readonly string[] => {
	const attempts = asList(delivery["attempts"]).map(asRecord);
	const created = new Date((asNumber(delivery["created_at"]) ?? 0) * 1000).toISOString();
	const texts = [delivery["id"], delivery["tokenName"] ?? delivery["token"], delivery["event"], delivery["status"]].map(
		(value) => asText(value) ?? "",
	);
	return [
		created,
		...texts,
		String(attempts.length),
		asText(attempts.at(-1)?.["error"]) ?? "",
		asText(delivery["url"]) ?? "",
		asText(delivery["token"]) ?? "",
	];
};

interface Question {
	readonly method: "GET" | "POST";
	readonly path: string;
	/** The options that are part of it. */
	readonly takes: readonly string[];
}

/** Every delivery's id. */
const isId = /^msg_/;

const questionOf = ([action, id, ...more]: readonly string[]): Question => {
	if (more.length > 0) throw misused(`"${more[0]}" is one word too many.`, usage);
	const all = "/admin/deliveries";
	const one = `${all}/${encodeURIComponent(id ?? "")}`;
	if (action === undefined) return { method: "GET", path: all, takes: ["status", "token", "task", "limit"] };
	if (action === "show" && id !== undefined) return { method: "GET", path: one, takes: [] };
	// As "portico tasks ID" and "portico explain ID".
	if (isId.test(action) && id === undefined)
		return { method: "GET", path: `${all}/${encodeURIComponent(action)}`, takes: [] };
	if (action === "redeliver" && id !== undefined) return { method: "POST", path: `${one}/redeliver`, takes: [] };
	if (action === "redeliver") return { method: "POST", path: `${all}/redeliver`, takes: ["token", "from", "to"] };
	if (action === "test" && id === undefined)
		return { method: "POST", path: "/admin/webhooks/test", takes: ["url", "token"] };
	const near = action.startsWith("task_") ? `: --task ${action}` : didYouMean(action, ["redeliver", "test"]);
	throw misused(action === "show" ? "Say which: its id." : `portico deliveries takes no "${action}"${near}`, usage);
};

/** An option that nobody reads would be taken for one that was obeyed: to redeliver "of one task" would send all that are dead. */
const ask = async (
	words: readonly string[],
	query: Readonly<Record<string, string>>,
	call: CommandRun["call"],
): Promise<unknown> => {
	const { method, path, takes } = questionOf(words);
	const unread = Object.keys(query).find((name) => !takes.includes(name));
	if (unread !== undefined)
		throw misused(`"portico ${["deliveries", ...words].join(" ")}" takes no --${unread}.`, usage);
	if (words[0] === "test" && query["url"] === undefined)
		throw misused("portico deliveries test needs --url URL.", usage);
	if (takes.length === 0) return await call(method, path);
	return method === "GET"
		? await call(method, `${path}?${new URLSearchParams(query)}`)
		: await call(method, path, query);
};

const attemptLine = (attempt: WireRecord): string => {
	const at = new Date((asNumber(attempt["started_at"]) ?? 0) * 1000).toISOString();
	return `  ${at}  ${asText(attempt["error"]) ?? `status ${attempt["status"]}`}, ${attempt["duration_ms"]} ms`;
};

const told = (answer: WireRecord): readonly string[] => {
	if (answer["count"] !== undefined) return [`${answer["count"]} dead deliveries are sent again`];
	if (answer["object"] === "webhook.test")
		return [
			answer["delivered"] === true ? `delivered in ${answer["duration_ms"]} ms` : `not delivered: ${answer["error"]}`,
		];
	const one = answer["object"] === "delivery";
	const rows = one ? [answer] : asList(answer["data"]).map(asRecord);
	if (rows.length === 0) return ["no callbacks"];
	const lines = tableLines(titles, rows.map(cellsOf));
	const advice = answer["advice"] === undefined ? [] : [`  what to do: ${answer["advice"]}`];
	return one ? [...lines, ...asList(answer["attempts"]).map(asRecord).map(attemptLine), ...advice] : lines;
};

export const deliveriesCommand: Command = {
	name: "deliveries",
	summary: "Shows callbacks and what became of them, and sends the dead ones again.",
	usage: () => usage,
	async run({ words, call, print }) {
		const { values, positionals } = parseWords({ args: [...words], allowPositionals: true, options }, usage);
		const { json, token, ...others } = values;
		const query = { ...others, ...(await withoutKey(token, call)) };
		const answer = asRecord(await ask(positionals, definedOnly(query), call));
		if (json === true) return print(JSON.stringify(answer));
		for (const line of told(answer)) print(line);
	},
};
