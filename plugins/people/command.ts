/** `portico person …` and `portico audit`: thin clients of the admin routes. */
import {
	asList,
	asNumber,
	asRecord,
	asText,
	type Command,
	type CommandRun,
	didYouMean,
	dollars,
	isRecord,
	parseJson,
	parseWords,
	refuseCommand,
	type TokenSetting,
	tableLines,
	textOptions,
	type WireRecord,
} from "#core";
import { personId } from "./asked-persons.ts";
import { invitationLines, linkLines } from "./invitation-lines.ts";

/** How budgets are written on the command line, as the policy that owns them reads and shows them; undefined without it. */
type BudgetWords = Pick<TokenSetting<unknown>, "fromWords" | "inWords"> | undefined;

const usage = (): string =>
	[
		"portico person invite [--role admin|member] [--ceiling DOLLARS] [--budgets LIST] [--limits JSON] [--hours N] [--person ID|NAME] [--json]",
		"portico person list [--json]",
		"portico person update ID|NAME [--role admin|member] [--ceiling DOLLARS|none] [--budgets LIST|none] [--limits JSON] [--json]",
		"portico person disable|enable|sign-out ID|NAME [--json]",
		"portico person invitations [--json]",
		"portico person withdraw INVITATION [--json]",
		"",
		"  --role      admin does everything, member sees and changes only what is their own; member unless said",
		"  --ceiling   dollars that all tokens of the person may spend together",
		"  --budgets   dollars that come anew each day, week or month, for all of them: 5/day,100/month@Europe/Berlin",
		'  --limits    token settings that none of their tokens goes beyond: \'{"models":["gpt-*"]}\'',
		"  --hours     how long the link is valid; 72 unless said",
		"  --person    somebody's id or name: the link lets them set another password",
		"  INVITATION  the id of one whose link can still be used, as portico person invitations lists them",
	].join("\n");

const options = {
	...textOptions("role", "ceiling", "budgets", "limits", "hours", "person"),
	json: { type: "boolean" },
} as const;

const parse = (words: readonly string[]) => parseWords({ args: [...words], allowPositionals: true, options }, usage());

type Values = ReturnType<typeof parse>["values"];

const numberOf = (flag: string, words: string): number => {
	const number = Number(words);
	return words.trim() !== "" && Number.isFinite(number)
		? number
		: refuseCommand(`--${flag} takes a number, not "${words}"`);
};

const limitsOf = (words: string): unknown => {
	const limits = parseJson(words);
	return isRecord(limits) ? limits : refuseCommand(`--limits takes a JSON object, such as '{"models":["gpt-*"]}'`);
};

const budgetsOf = (words: string, written: BudgetWords): unknown => {
	if (words === "none") return null;
	if (!written?.fromWords) return refuseCommand("--budgets: the plugin quota, which keeps budgets, is not loaded");
	try {
		return written.fromWords(words);
	} catch (error) {
		return refuseCommand(`--budgets: ${error instanceof Error ? error.message : "cannot be read"}`);
	}
};

const bodyOf = (
	{ role, ceiling, budgets, limits, hours, person }: Values,
	written: BudgetWords,
): Record<string, unknown> => ({
	...(role !== undefined && { role }),
	...(ceiling !== undefined && { ceiling: ceiling === "none" ? null : numberOf("ceiling", ceiling) }),
	...(budgets !== undefined && { budgets: budgetsOf(budgets, written) }),
	...(limits !== undefined && { limits: limitsOf(limits) }),
	...(hours !== undefined && { hours: numberOf("hours", hours) }),
	...(person !== undefined && { person }),
});

/** Throws `Fault` where nothing is to be changed: done in silence, it would look as if something had been. */
const changeOf = (values: Values, written: BudgetWords): Record<string, unknown> => {
	const body = bodyOf(values, written);
	if (Object.keys(body).length > 0) return body;
	const options = set.map((name) => `--${name}`).join(", ");
	return refuseCommand(
		`portico person update takes what is to be changed, one or more of ${options}; nothing was changed`,
	);
};

const columns = [
	{ title: "name" },
	{ title: "role" },
	{ title: "state" },
	{ title: "ceiling", right: true },
	{ title: "left", right: true },
	{ title: "budgets" },
	{ title: "id" },
] as const;

const amount = (value: unknown): string => {
	const number = asNumber(value);
	return number === undefined ? "" : dollars(number);
};

const cellsOf = (person: Readonly<Record<string, unknown>>, written: BudgetWords): readonly string[] => [
	asText(person["name"]) ?? "",
	asText(person["role"]) ?? "",
	person["disabled"] === true ? "disabled" : "enabled",
	amount(person["ceiling"]),
	amount(person["remaining"]),
	written?.inWords?.(person["budgets"], person) ?? "",
	asText(person["id"]) ?? "",
];

const ask = async (
	action: string,
	id: string | undefined,
	values: Values,
	{ call }: CommandRun,
	written: BudgetWords,
): Promise<unknown> => {
	if (action === "invite") return await call("POST", "/admin/invitations", bodyOf(values, written));
	if (action === "list") return await call("GET", "/admin/people");
	if (action === "invitations") return await call("GET", "/admin/invitations");
	if (action === "withdraw" && id !== undefined)
		return await call("DELETE", `/admin/invitations/${encodeURIComponent(id)}`);
	if (action === "withdraw") return refuseCommand("portico person withdraw needs the id of an invitation", usage());
	if (id === undefined) return refuseCommand(`portico person ${action} needs the id or the name of a person`, usage());
	const path = `/admin/people/${encodeURIComponent(id)}`;
	if (action === "update") return await call("PATCH", path, changeOf(values, written));
	return await call("POST", `${path}/${action}`);
};

const actions = ["invite", "list", "update", "disable", "enable", "sign-out", "invitations", "withdraw"];
/** Those that are about nobody in particular. */
const wholeLists = ["invite", "list", "invitations"];

const checkAction = (action: string): void => {
	if (actions.includes(action)) return;
	const said = action === "" ? "needs a word" : `takes no "${action}"${didYouMean(action, actions)}`;
	refuseCommand(`portico person ${said}`, usage());
};

/** Of a list, or of the one who was changed. */
const peopleLines = (answer: Readonly<Record<string, unknown>>, written: BudgetWords): readonly string[] => {
	const people = Array.isArray(answer["data"]) ? asList(answer["data"]).map(asRecord) : [answer];
	if (people.length === 0) return ["no people"];
	return tableLines(
		columns,
		people.map((person) => cellsOf(person, written)),
	);
};

const linesOf = (action: string, answer: WireRecord, written: BudgetWords): readonly string[] => {
	if (asText(answer["link"]) !== undefined) return [linkLines(answer)];
	if (action === "invitations") return invitationLines(answer);
	if (action === "withdraw") return [`${String(answer["id"])} is withdrawn`];
	if (answer["signedOut"] === true) return [`${String(answer["id"])} is signed out everywhere`];
	return peopleLines(answer, written);
};

const set = ["role", "ceiling", "budgets", "limits"];
/** The options that an action takes beside --json, where it takes any. */
const takenBy: Readonly<Record<string, readonly string[]>> = { invite: [...set, "hours", "person"], update: set };

/** What nobody reads would be taken for obeyed: of two persons to disable the second would go on unseen. */
const refuseUnread = (action: string, values: Values, words: readonly string[]): void => {
	const tooMany = words[wholeLists.includes(action) ? 0 : 1];
	if (tooMany !== undefined) refuseCommand(`portico person ${action} takes no "${tooMany}"`);
	const unread = Object.keys(values).find((name) => name !== "json" && !takenBy[action]?.includes(name));
	if (unread !== undefined) refuseCommand(`portico person ${action} takes no --${unread}`);
};

/** `budgets` is asked once all plugins are set up. */
export const personCommand = (budgets: () => BudgetWords): Command => ({
	name: "person",
	summary: "Invites, lists, changes and disables people; lists and withdraws invitations.",
	usage,
	async run(command) {
		const { print } = command;
		const [action = "", ...rest] = command.words;
		checkAction(action);
		const { values, positionals } = parse(rest);
		refuseUnread(action, values, positionals);
		const written = budgets();
		const answer = asRecord(await ask(action, positionals[0], values, command, written));
		if (values.json === true) print(JSON.stringify(answer));
		else for (const line of linesOf(action, answer, written)) print(line);
	},
});

const auditUsage = (): string => "portico audit [--limit N] [--operator ID|NAME] [--object ID] [--json]";

const auditLine = (entry: Readonly<Record<string, unknown>>): string => {
	const at = asNumber(entry["at"]) ?? 0;
	const changes = Object.entries(asRecord(entry["changes"])).map(([field, value]) => {
		const { from, to } = asRecord(value);
		return `${field}: ${JSON.stringify(from) ?? "none"} → ${JSON.stringify(to) ?? "none"}`;
	});
	const name = asText(entry["name"]);
	return [
		new Date(at).toISOString(),
		asRecord(entry["operator"])["name"],
		`${String(entry["verb"])} ${String(entry["kind"])}`,
		`${String(entry["object"])}${name === undefined ? "" : ` (${name})`}`,
		...changes,
	].join("  ");
};

export const auditCommand: Command = {
	name: "audit",
	summary: "Tells who changed what, newest first.",
	usage: auditUsage,
	async run({ words, call, print }) {
		const options = { ...textOptions("limit", "operator", "object"), json: { type: "boolean" } } as const;
		const { json, operator, ...others } = parseWords({ args: [...words], options }, auditUsage()).values;
		const asked = { ...others, ...(operator !== undefined && { operator: await personId(call, operator) }) };
		const answer = asRecord(await call("GET", `/admin/audit?${new URLSearchParams(asked)}`));
		if (json === true) return print(JSON.stringify(answer));
		const lines = asList(answer["data"]).map((entry) => auditLine(asRecord(entry)));
		for (const line of lines.length === 0 ? ["no changes"] : lines) print(line);
	},
};
