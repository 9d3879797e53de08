/** `portico explain`: what happened in one call, or what would happen to one. */
import {
	asList,
	asNumber,
	asRecord,
	asText,
	type Command,
	dollars,
	misused,
	parseWords,
	textOptions,
	type WireRecord,
} from "#core";
import { withoutKey } from "../tokens/service.ts";
import { callerOf } from "./calls-command.ts";

const usage = "portico explain ID [--json]\nportico explain --model NAME [--token ID|NAME|KEY] [--json]";

const options = { ...textOptions("model", "token"), json: { type: "boolean" } } as const;

const joined = (...parts: readonly (string | undefined)[]): string =>
	parts.filter((part) => part !== undefined && part !== "").join(", ");

const skippedLine = (skipped: WireRecord): string =>
	`     passed over ${[skipped["upstream"], skipped["model"]].filter((word) => word).join(":")}: ${skipped["reason"]}`;

const outcomeOf = (status: unknown, code: unknown): string => {
	if (code === undefined) return `answered ${status ?? ""}`.trim();
	if (code === "no_answer_yet") return "had not answered yet";
	return joined("failed", status === undefined ? undefined : `status ${status}`, String(code));
};

const attemptLines = (attempt: WireRecord, index: number): readonly string[] => {
	const { upstream, model, key, why, status, code, message, durationMs } = attempt;
	const outcome = outcomeOf(status, code);
	return [
		...asList(attempt["skipped"]).map(asRecord).map(skippedLine),
		`  ${index + 1}. ${upstream}:${model}${key === undefined ? "" : ` key ${key}`}${why === undefined ? "" : ` (${why})`}: ${outcome}, ${durationMs} ms`,
		...(message === undefined ? [] : [`     "${message}"`]),
	];
};

/** A client's model and an upstream's words may have line ends, behind which they would look like words of ours. */
const inOneLine = (line: string): string => line.replace(/\s*[\r\n\u2028\u2029]\s*/g, " ");

/** What it cost, and how that comes about. */
const chargeLine = ({ cost: charged, arithmetic, estimated }: WireRecord): string => {
	const cost = asNumber(charged);
	if (cost === undefined) return "  no price is known for it";
	const { parts, sum, charged: isCharged } = asRecord(arithmetic);
	const sums = asList(parts)
		.map(asRecord)
		.map(({ what, tokens, rate }) => `${tokens} ${what} at ${dollars(asNumber(rate) ?? 0)}`)
		.join(", ");
	if (sums === "") return `  charged ${dollars(cost)}`;
	const counted = estimated === true ? "; Portico counted, for the upstream did not" : "";
	const today = isCharged === true ? "" : `, ${dollars(asNumber(sum) ?? 0)} at the prices of today`;
	return `  charged ${dollars(cost)}: ${sums} a million tokens${today}${counted}`;
};

/** What happened, to whom, since when, and what to do. */
const explainCall = (call: WireRecord): readonly string[] => {
	const { reason, message, repeats, alike, advice, stopped } = call;
	const same = asRecord(alike);
	const attempts = asList(call["attempts"]).map(asRecord);
	// A task has no list of attempts.
	const of = call["protocol"] === "tasks" && call["upstream"] ? `, of the upstream ${call["upstream"]}` : "";
	return [
		`${call["requestId"]}: ${call["ending"]}${call["status"] ? ` with status ${call["status"]}` : ""}${reason === undefined ? "" : `, ${reason}`}${repeats === undefined ? "" : `, ${repeats} times within a minute`}`,
		`  at ${call["at"]}, ${joined(`token ${callerOf(call) || "none"}`, asText(call["token"]), asText(call["address"]) && `from ${call["address"]}`)}`,
		...(call["model"] ? [`  asked for ${call["model"]}${call["protocol"] ? ` in ${call["protocol"]}` : ""}${of}`] : []),
		...attempts.flatMap(attemptLines),
		...(stopped === undefined ? [] : [`  The answer did not end by itself: ${stopped}`]),
		...(message === undefined ? [] : [`  the client was told: ${message}`]),
		chargeLine(call),
		...(alike === undefined ? [] : [`  the same since ${same["since"]}: ${same["calls"]} calls`]),
		...(advice === undefined ? [] : [`  what to do: ${advice}`]),
	];
};

/** How the upstream does: what it failed with, since when, and what to do. */
const stateLines = ({
	circuit,
	failures,
	openForSeconds,
	failingSince,
	lastFailure,
}: WireRecord): readonly string[] => {
	if (circuit === "closed" || lastFailure === undefined) return [];
	const { message, status, advice } = asRecord(lastFailure);
	const wait = openForSeconds === undefined ? "" : `, left alone for ${openForSeconds} s more`;
	return [
		`     failed ${failures} times in a row since ${failingSince}${wait}${status === undefined ? "" : `, status ${status}`}: "${message}"`,
		...(advice === undefined ? [] : [`     what to do: ${advice}`]),
	];
};

/** Where a call would go, and whether its token would be let through. */
const explainModel = (answer: WireRecord): readonly string[] => {
	const targets = asList(answer["targets"]).map(asRecord);
	const token = asRecord(answer["token"]);
	const denials = [token, ...asList(token["policies"]).map(asRecord)].flatMap(({ policy, denial }) =>
		denial === undefined ? [] : [`  refused by ${policy ?? "the key's check"}: ${asText(asRecord(denial)["message"])}`],
	);
	const remaining = asNumber(token["remaining"]);
	return [
		`${answer["model"]}: ${targets.length === 1 ? "one target" : `${targets.length} targets`}, matched by ${answer["matched"]}`,
		...asList(answer["skipped"]).map(asRecord).map(skippedLine),
		...targets.flatMap((target, index) => [
			`  ${index + 1}. ${target["upstream"]}:${target["model"]} (${target["why"]}), circuit ${target["circuit"]}`,
			...stateLines(target),
		]),
		...(answer["token"] === undefined
			? []
			: [`  token ${token["name"]}: ${token["admitted"] === true ? "let through" : "refused"}`, ...denials]),
		...(remaining === undefined ? [] : [`  ${dollars(remaining)} of its quota remain`]),
	];
};

export const explainCommand: Command = {
	name: "explain",
	summary: "Says what happened in a call, or where a call would go.",
	usage: () => usage,
	async run({ words, call, print }) {
		const { values, positionals } = parseWords({ args: [...words], allowPositionals: true, options }, usage);
		const [id, ...more] = positionals;
		const surplus = values.model === undefined ? more[0] : id;
		if (surplus !== undefined) throw misused(`"${surplus}" is one word too many.`, usage);
		if (values.model !== undefined) {
			const question = { model: values.model, ...(await withoutKey(values.token, call)) };
			const answer = asRecord(await call("POST", "/admin/models/explain", question));
			if (values.json === true) return print(JSON.stringify(answer));
			for (const line of explainModel(answer)) print(inOneLine(line));
			return;
		}
		if (id === undefined)
			throw misused("portico explain takes the id of a call, as answers have it in x-request-id.", usage);
		if (values.token !== undefined) throw misused("A call is explained by its id: that takes no --token.", usage);
		const answer = asRecord(await call("GET", `/admin/calls/${encodeURIComponent(id)}`));
		if (values.json === true) print(JSON.stringify(answer));
		else for (const line of explainCall(answer)) print(inOneLine(line));
	},
};
