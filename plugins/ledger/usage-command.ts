/** `portico usage`: the sums of the ledger on the command line. */
import {
	asList,
	asRecord,
	type CallAdmin,
	type Command,
	definedOnly,
	deny,
	dollars,
	Fault,
	parseWords,
	tableLines,
	textOptions,
	type WireRecord,
} from "#core";
import { personId, personsById } from "../people/service.ts";
import { withoutKey } from "../tokens/service.ts";
import { csvText } from "./csv.ts";
import { withTags } from "./tags.ts";

const usage = [
	"portico usage [--by LIST] [--from TIME] [--to TIME] [--zone ZONE] [--token ID|NAME|KEY] [--owner ID|NAME] [--model NAME] [--upstream NAME] [--tag NAME=VALUE] [--csv | --json]",
	"",
	"  --by LIST         a sum for each of these: token, owner, model, upstream, protocol, ending, day, hour, tag:NAME",
	"  --from TIME       from then on: 2027-01-31 (by the zone) or 2027-01-31T12:00:00Z",
	"  --to TIME         until just before then",
	"  --zone ZONE       whose days they are, such as Europe/Berlin; UTC unless said",
	"  --tag NAME=VALUE  with that tag, such as app=web; several may be given, and all must be there",
	"  --csv             for a spreadsheet",
].join("\n");

/** People read names; ids stand at the end, for copying. */
const rank = (column: string): number => (/Name$/.test(column) ? 0 : column === "token" || column === "owner" ? 2 : 1);

/** With the name beside each person's id. */
const withOwners = async (rows: readonly WireRecord[], call: CallAdmin): Promise<readonly WireRecord[]> => {
	if (!rows.some(({ owner }) => typeof owner === "string")) return rows;
	const persons = await personsById(call);
	return rows.map((row) => ({ ownerName: persons.get(row["owner"])?.["name"] ?? null, ...row }));
};

/** Columns in dollars. */
const amounts = new Set(["cost", "excess", "saved"]);

const options = {
	...textOptions("by", "from", "to", "zone", "token", "owner", "model", "upstream"),
	tag: { type: "string", multiple: true },
	csv: { type: "boolean" },
	json: { type: "boolean" },
} as const;

const parse = (words: readonly string[]) => {
	const { values } = parseWords({ args: [...words], options }, usage);
	if (values.csv === true && values.json === true)
		throw new Fault(deny("invalid_request", "portico usage takes --csv or --json, not both"));
	return values;
};

export const usageCommand: Command = {
	name: "usage",
	summary: "Shows what was used, and what it cost.",
	usage: () => usage,
	async run({ words, call, print }) {
		const { json, csv, tag, owner, token, ...others } = parse(words);
		const query = {
			...others,
			...(await withoutKey(token, call)),
			...(owner !== undefined && { owner: await personId(call, owner) }),
		};
		const answer = asRecord(
			await call("GET", `/admin/usage?${withTags(new URLSearchParams(definedOnly(query)), tag)}`),
		);
		if (json === true) return print(JSON.stringify(answer));
		const rows = await withOwners(asList(answer["data"]).map(asRecord), call);
		if (csv === true) return print(csvText(rows).trimEnd());
		if (rows.length === 0) return print("no calls");
		const names = Object.keys(rows[0] ?? {}).toSorted((a, b) => rank(a) - rank(b));
		const columns = names.map((name) => ({
			title: name.replace(/[A-Z]/g, (letter) => ` ${letter}`),
			right: rows.some((row) => typeof row[name] === "number"),
		}));
		const cell = (name: string, value: unknown): string => {
			if (typeof value === "number") return amounts.has(name) ? dollars(value) : value.toLocaleString("en-US");
			return value === null || value === undefined ? "" : String(value);
		};
		for (const line of tableLines(
			columns,
			rows.map((row) => names.map((name) => cell(name, row[name]))),
		))
			print(line);
	},
};
