/** What a line of the log looks like: JSON for machines, or few words and colours for people at a terminal. */
import type { LogFields } from "../contract/log.ts";
import { remembering } from "../wire/remember.ts";

export type Spoken = "debug" | "info" | "warn" | "error";

/** Makes the lines of one plugin, or of the core for an empty name; `worker`: of that one of several processes. */
export type LineForm = (
	plugin: string,
	worker?: number,
) => (level: Spoken, message: string, fields: LogFields) => string;

/** The members of an object as JSON, without its braces and with a comma before them. */
const members = (fields: LogFields): string => {
	const json = JSON.stringify(fields);
	return json === "{}" ? "" : `,${json.slice(1, -1)}`;
};

let [lastAt, lastTime] = [0, ""];

/** The time as JSON has it; lines of a busy gateway share their milliseconds. */
const timeNow = (): string => {
	const now = Date.now();
	if (now !== lastAt) {
		lastTime = new Date(now).toISOString();
		lastAt = now;
	}
	return lastTime;
};

const beginnings: Readonly<Record<Spoken, string>> = {
	debug: '{"level":"debug","time":"',
	info: '{"level":"info","time":"',
	warn: '{"level":"warn","time":"',
	error: '{"level":"error","time":"',
};

/** Messages are few. */
const endOf = remembering((message) => `,"msg":${JSON.stringify(message)}}\n`);

export const jsonLines: LineForm = (plugin, worker) => {
	const named = `"${members({ worker, plugin: plugin === "" ? undefined : plugin })}`;
	return (level, message, fields) => `${beginnings[level]}${timeNow()}${named}${members(fields)}${endOf(message)}`;
};

const sequence = "\u001b[";
const paints = { dim: "2", bold: "1", yellow: "33", red: "31", cyan: "36" } as const;
type Paint = keyof typeof paints;

const ofLevel: Readonly<Record<Spoken, Paint>> = { debug: "dim", info: "cyan", warn: "yellow", error: "red" };

const controls = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Without what a terminal obeys, or a reader takes for the end of a line, though JSON leaves it as it is. */
export const withoutControls = (text: string): string => text.replace(controls, "\ufffd");

const shownAs = (value: LogFields[string]): string => {
	const text = String(value);
	return withoutControls(/^[^\s"=\p{Cc}]+$/u.test(text) ? text : JSON.stringify(text));
};

/** Ids are for machines to join lines by, and stand in the JSON. */
const isForPeople = ([name, value]: readonly [string, LogFields[string]]): boolean =>
	value !== undefined && value !== null && !name.endsWith("_id");

/** `columns`: how many fit; a longer line loses its end. */
export const textLines =
	(colours: boolean, columns: number): LineForm =>
	(plugin, worker) => {
		const speaker = [...(worker === undefined ? [] : [`worker ${worker}`]), ...(plugin === "" ? [] : [plugin])].join(
			" ",
		);
		const paint = (kind: Paint, text: string): string =>
			colours && text !== "" ? `${sequence}${paints[kind]}m${text}${sequence}0m` : text;
		return (level, message, fields) => {
			const time = new Date().toTimeString().slice(0, 8);
			const head = [time, level.padEnd(5), ...(speaker === "" ? [] : [`${speaker}:`]), message].join(" ");
			const told = Object.entries(fields)
				.filter(isForPeople)
				.map(([name, value]) => `${name}=${shownAs(value)}`)
				.join(" ");
			const room = Math.max(0, columns - head.length - 2);
			const rest = told.length > room ? `${told.slice(0, Math.max(0, room - 1))}…` : told;
			const words = [paint("dim", time), paint(ofLevel[level], level.padEnd(5))];
			if (speaker !== "") words.push(paint("dim", `${speaker}:`));
			const line = `${words.join(" ")} ${message}${rest === "" ? "" : `  ${paint("dim", rest)}`}`;
			return `${line}\n`;
		};
	};
