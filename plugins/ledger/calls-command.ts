/** `portico calls`: the latest calls, one a line. */
import {
	asList,
	asNumber,
	asRecord,
	asText,
	type Command,
	definedOnly,
	dollars,
	parseWords,
	tableLines,
	textOptions,
	type WireRecord,
} from "#core";
import { withoutKey } from "../tokens/service.ts";
import { withTags } from "./tags.ts";

const usage = [
	"portico calls [--ending ENDING] [--token ID|NAME|KEY] [--model NAME] [--upstream NAME] [--status CODE] [--protocol NAME] [--address IP] [--tag NAME=VALUE] [--from TIME] [--to TIME] [--limit N] [--json]",
	"",
	"  --ending ENDING   completed, refused, upstream_failed, timed_out, client_left, cut, shut_down, failed or not_completed",
	"  --address IP      from there, of a token or of none",
	"  --from TIME       from then on: 2027-01-31 (UTC) or 2027-01-31T12:00:00Z",
	"  --to TIME         until just before then",
	"  --tag NAME=VALUE  with that tag, such as app=web; several may be given, and all must be there",
	"  --limit N         so many; 50 unless said",
].join("\n");

const options = {
	...textOptions("ending", "token", "model", "upstream", "status", "protocol", "address", "from", "to", "limit"),
	tag: { type: "string", multiple: true },
	json: { type: "boolean" },
} as const;

/** Where it went, by way of what. A task has no list of attempts. */
const wayOf = (call: WireRecord): string =>
	asList(call["attempts"])
		.map(asRecord)
		.map(({ upstream, status }) => [upstream, status === 200 ? undefined : status].filter((word) => word).join(" "))
		.join(" > ") ||
	(asText(call["upstream"]) ?? "");

/** Whoever called: the token's name, or what is known of a key that is no token's. */
export const callerOf = (call: WireRecord): string =>
	asText(call["tokenName"]) ?? asText(call["token"]) ?? (asText(call["key"]) === undefined ? "" : `key ${call["key"]}`);

/** Of a key that is no token's, and of none, it matters where they come from. */
const strangerOf = (call: WireRecord): string | undefined => {
	const address = asText(call["address"]);
	if (asText(call["token"]) !== undefined || address === undefined) return undefined;
	return `${callerOf(call)} from ${address}`.trim();
};

const titles = ["at", "id", "token", "model", "status", "ending", "reason", "upstreams", "cost", "address"];

const cellsOf = (call: WireRecord): readonly string[] => {
	const repeats = asNumber(call["repeats"]);
	const cost = asNumber(call["cost"]);
	return [
		asText(call["at"]) ?? "",
		asText(call["requestId"]) ?? "",
		strangerOf(call) ?? callerOf(call),
		asText(call["model"]) ?? "",
		String(call["status"] ?? ""),
		asText(call["ending"]) ?? "",
		`${asText(call["reason"]) ?? ""}${repeats === undefined ? "" : ` ×${repeats}`}`,
		wayOf(call),
		cost === undefined ? "" : dollars(cost),
		asText(call["address"]) ?? "",
	];
};

export const callsCommand: Command = {
	name: "calls",
	summary: "Shows the latest calls: whose, where they went, how they ended.",
	usage: () => usage,
	async run({ words, call, print }) {
		const { json, tag, token, ...others } = parseWords({ args: [...words], options }, usage).values;
		const query = { ...others, ...(await withoutKey(token, call)) };
		const answer = asRecord(
			await call("GET", `/admin/calls?${withTags(new URLSearchParams(definedOnly(query)), tag)}`),
		);
		if (json === true) return print(JSON.stringify(answer));
		const rows = asList(answer["data"]).map(asRecord).map(cellsOf);
		if (rows.length === 0) return print("no calls");
		const columns = titles.map((title) => ({ title, right: title === "cost" }));
		for (const line of tableLines(columns, rows)) print(line);
	},
};
