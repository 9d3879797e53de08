/** `portico deliveries`: callbacks over all tokens, one with its attempts, sending again, and a test. */
import {
	asList,
	asNumber,
	asRecord,
	asText,
	type Command,
	type CommandRun,
	definedOnly,
	deny,
	Fault,
	parseWords,
	tableLines,
	type WireRecord,
} from "#core";

const usage = [
	"portico deliveries [--status dead|pending|sending|delivered] [--token ID or NAME] [--task ID] [--limit N] [--json]",
	"portico deliveries show ID [--json]",
	"portico deliveries redeliver ID [--json]",
	"portico deliveries redeliver [--token ID or NAME] [--since TIME] [--until TIME] [--json]",
	"portico deliveries test --url URL [--token ID] [--json]",
	"",
	"  redeliver   sends one again, whatever became of it; without ID the dead ones",
	"  test        sends a callback that tells nothing",
].join("\n");

const wrong = (message: string): Fault => new Fault(deny("invalid_request", `${message}\n\n${usage}`));

const parse = (words: readonly string[]) => {
	const text = { type: "string" } as const;
	return parseWords(
		{
			args: [...words],
			allowPositionals: true,
			options: {
				status: text,
				token: text,
				task: text,
				limit: text,
				since: text,
				until: text,
				url: text,
				json: { type: "boolean" },
			},
		},
		usage,
	);
};

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

const ask = async (
	[action, id, ...more]: readonly string[],
	query: Readonly<Record<string, string>>,
	call: CommandRun["call"],
): Promise<unknown> => {
	if (more.length > 0) throw wrong(`"${more[0]}" is one word too many.`);
	const path = `/admin/deliveries/${encodeURIComponent(id ?? "")}`;
	if (action === undefined) return await call("GET", `/admin/deliveries?${new URLSearchParams(query)}`);
	if (action === "show" && id !== undefined) return await call("GET", path);
	if (action === "redeliver" && id !== undefined) return await call("POST", `${path}/redeliver`);
	if (action === "redeliver") return await call("POST", "/admin/deliveries/redeliver", query);
	if (action === "test" && id === undefined) return await call("POST", "/admin/webhooks/test", query);
	throw wrong(action === "show" ? "Say which: show ID." : `"${action}" is not known here.`);
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
	const lines = tableLines(
		titles.map((title) => ({ title })),
		rows.map(cellsOf),
	);
	const advice = answer["advice"] === undefined ? [] : [`  what to do: ${answer["advice"]}`];
	return one ? [...lines, ...asList(answer["attempts"]).map(asRecord).map(attemptLine), ...advice] : lines;
};

export const deliveriesCommand: Command = {
	name: "deliveries",
	summary: "Shows callbacks and what became of them, and sends the dead ones again.",
	usage: () => usage,
	async run({ words, call, print }) {
		const { values, positionals } = parse(words);
		const { json, ...query } = values;
		const answer = asRecord(await ask(positionals, definedOnly(query), call));
		if (json === true) return print(JSON.stringify(answer));
		for (const line of told(answer)) print(line);
	},
};
