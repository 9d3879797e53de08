/** Prints what the trials came to. */
import { protocolNames } from "../support/recordings.ts";
import type { Trial } from "./trial.ts";

const modes = [
	"plain",
	"stream",
	"plain as stream",
	"stream as plain",
	"request",
	"error",
	"history",
	"history elsewhere",
	"door plain",
	"door stream",
	"door identity",
] as const;

/** True when nothing is wrong. */
export const isEqual = ({ differences, invalid, crash }: Trial): boolean =>
	differences.length === 0 && invalid.length === 0 && crash === undefined;

const percent = (part: number, whole: number): string => (whole === 0 ? "" : `${((100 * part) / whole).toFixed(1)} %`);

/** True when what is wrong has its reason. */
export const isExplained = ({ differences, invalid, crash }: Trial): boolean =>
	invalid.length === 0 && crash === undefined && differences.every(({ reason }) => reason !== undefined);

/** A table for each mode: client down, upstream across, `equal/tried`. */
export const printTable = (trials: readonly Trial[], of: string): void => {
	if (trials.length === 0) return;
	console.log(`\n# Exchanges with ${of}`);
	for (const mode of modes) {
		const tried = trials.filter((trial) => trial.mode === mode);
		if (tried.length === 0) continue;
		const good = tried.filter(isEqual).length;
		const crashed = tried.filter(({ crash }) => crash !== undefined).length;
		const invalid = tried.filter((trial) => trial.invalid.length > 0).length;
		const explained = tried.filter(isExplained).length - good;
		console.log(
			`\n## ${mode}: ${good} of ${tried.length} equal (${percent(good, tried.length)}), ${explained} more explained, ${invalid} invalid, ${crashed} crashed\n`,
		);
		for (const what of ["thinking", "citations"] as const) {
			const there = tried.filter((trial) => trial[what] !== undefined);
			const kept = there.filter((trial) => trial[what]);
			if (there.length > 0) console.log(`${what} came through in ${kept.length} of ${there.length}\n`);
		}
		console.log(row("client \\ upstream", protocolNames));
		console.log(
			row(
				"---",
				protocolNames.map(() => "---"),
			),
		);
		for (const client of protocolNames) {
			const cells = protocolNames.map((upstream) => {
				const cell = tried.filter(({ pair }) => pair.startsWith(`${client} ← ${upstream}`));
				return cell.length === 0 ? "" : `${cell.filter(isEqual).length}/${cell.length}`;
			});
			console.log(row(client, cells));
		}
	}
};

const row = (head: string, cells: readonly string[]): string =>
	`| ${[head, ...cells].map((cell) => cell.padEnd(17)).join(" | ")} |`;

const answers: ReadonlySet<string> = new Set([...modes.slice(0, 4), "door plain", "door stream"]);

interface Cause {
	readonly line: string;
	readonly explained: boolean;
}

/** What went wrong in a trial, each as one line that is the same for the same cause. */
const causesOf = ({ pair, mode, differences, invalid, crash, thinking, citations }: Trial): readonly Cause[] => {
	const place = `${pair} | ${answers.has(mode) ? "answer" : mode} |`;
	return [
		...differences.map(({ what, reason }) => ({
			line: `${place} ${what}${reason ? `: ${reason}` : ""}`,
			explained: reason !== undefined,
		})),
		...(thinking === false ? [{ line: `${place} thinking did not come through`, explained: false }] : []),
		...(citations === false ? [{ line: `${place} citations did not come through`, explained: false }] : []),
		...invalid.map((what) => ({ line: `${place} invalid ${what}`, explained: false })),
		...(crash === undefined ? [] : [{ line: `${place} crashed: ${crash}`, explained: false }]),
	];
};

/** Every exception by its cause, most frequent first, with an exchange that shows it; `show` lists all of one cause. */
export const printCauses = (trials: readonly Trial[], show: string | undefined): void => {
	for (const explained of [false, true]) {
		const causes = new Map<string, string[]>();
		for (const trial of trials)
			for (const { line } of causesOf(trial).filter((cause) => cause.explained === explained))
				causes.set(line, [...(causes.get(line) ?? []), `${trial.name} (${trial.mode})`]);
		console.log(`\n# ${explained ? "Exceptions with a reason" : "Exceptions without a reason"}\n`);
		for (const [cause, names] of [...causes].sort(([, a], [, b]) => b.length - a.length)) {
			console.log(`${String(names.length).padStart(5)}  ${cause}  e.g. ${names[0]}`);
			if (show && cause.includes(show)) console.log(names.map((name) => `         ${name}`).join("\n"));
		}
	}
};
