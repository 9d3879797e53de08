/** A log that keeps the secrets of the config file: the words of an error may hold the key that a plugin was made with. */
import { coreSchema } from "../config/schema-core.ts";
import { secretTexts } from "../config/secrets.ts";
import type { Log, LogFields } from "../contract/log.ts";
import type { Blueprint } from "./blueprint.ts";

/** Shorter ones are words as well, and a line without its words says nothing. */
const shortestSecret = 8;
/** What comes from the environment may be a model's name, a host's or a place too: those are words, with marks between them. */
const shortestKey = 16;
const longestWord = 11;
const isKey = (text: string): boolean =>
	text.length >= shortestKey &&
	!/^[./~]|:\/\/|\s/.test(text) &&
	text.split(/[^0-9A-Za-z]+/).some(({ length }) => length > longestWord);

/** What a line about plugins must not tell: what their settings call secret, and what may be a key by its looks. */
export const secretsOf = ({ config, instances, secrets }: Blueprint): readonly string[] => [
	...[
		...secretTexts(coreSchema, config),
		...instances.flatMap(({ plugin, config: settings }) => secretTexts(plugin.config, settings)),
	].filter(({ length }) => length >= shortestSecret),
	...secrets.filter(isKey),
];

/** The same log, whose warnings and errors are without `secrets`, of which there may be more and more. */
export const discreetLog = (log: Log, secrets: ReadonlySet<string>): Log => {
	const without = (text: string): string => {
		let rest = text;
		// A secret may hold another.
		for (const secret of [...secrets].toSorted((a, b) => b.length - a.length))
			rest = rest.replaceAll(secret, "[removed]");
		return rest;
	};
	const withoutIn = (fields: LogFields): LogFields =>
		Object.fromEntries(
			Object.entries(fields).map(([name, value]) => [name, typeof value === "string" ? without(value) : value]),
		);
	return {
		debug: log.debug,
		info: log.info,
		warn: (message, fields = {}) => log.warn(without(message), withoutIn(fields)),
		error: (message, fields = {}) => log.error(without(message), withoutIn(fields)),
		of: (plugin) => discreetLog(log.of(plugin), secrets),
	};
};
