/** `portico tasks`: the latest tasks over all tokens, or one. */
import {
	asList,
	asNumber,
	asRecord,
	asText,
	type Command,
	definedOnly,
	misused,
	parseWords,
	tableLines,
	textOptions,
	type WireRecord,
} from "#core";
import { withoutKey } from "../tokens/service.ts";

const usage =
	"portico tasks [ID] [--status NOT_START|IN_PROGRESS|SUCCESS|FAILURE] [--kind KIND] [--token ID|NAME|KEY] [--model NAME] [--upstream NAME] [--limit N] [--json]";

const options = {
	...textOptions("status", "kind", "token", "model", "upstream", "limit"),
	json: { type: "boolean" },
} as const;

const titles = ["created", "id", "token", "kind", "model", "upstream", "status", "why", "token id"];

const cellsOf = (task: WireRecord): readonly string[] => [
	new Date((asNumber(task["created_at"]) ?? 0) * 1000).toISOString(),
	...[task["id"], task["tokenName"] ?? task["token"]].map((value) => asText(value) ?? ""),
	...["kind", "model", "upstream", "status"].map((name) => asText(task[name]) ?? ""),
	asText(asRecord(task["error"])["message"]) ?? asText(task["standing"]) ?? "",
	asText(task["token"]) ?? "",
];

export const tasksCommand: Command = {
	name: "tasks",
	summary: "Shows the latest tasks of all tokens: where they stand, and why those that failed did.",
	usage: () => usage,
	async run({ words, call, print }) {
		const { values, positionals } = parseWords({ args: [...words], allowPositionals: true, options }, usage);
		const { json, token, ...others } = values;
		const query = { ...others, ...(await withoutKey(token, call)) };
		const [id, ...more] = positionals;
		if (more.length > 0) throw misused(`"${more[0]}" is one word too many.`, usage);
		const [unread] = id === undefined ? [] : Object.keys(query);
		if (unread !== undefined) throw misused(`A task is shown by its id: that takes no --${unread}.`, usage);
		const path = id === undefined ? `?${new URLSearchParams(definedOnly(query))}` : `/${encodeURIComponent(id)}`;
		const answer = asRecord(await call("GET", `/admin/tasks${path}`));
		if (json === true) return print(JSON.stringify(answer));
		const rows = (id === undefined ? asList(answer["data"]).map(asRecord) : [answer]).map(cellsOf);
		if (rows.length === 0) return print("no tasks");
		for (const line of tableLines(titles, rows)) print(line);
		if (answer["advice"] !== undefined) print(`  what to do: ${answer["advice"]}`);
	},
};
