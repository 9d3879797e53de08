/** `print-config`: the configuration as it is understood, defaults filled in, secrets taken out. */
import type { TObject } from "@sinclair/typebox";
import { stringify } from "yaml";
import { asRecord } from "../neutral/json.ts";
import { checkSettings } from "./check.ts";
import type { Config } from "./read.ts";
import { coreSchema } from "./schema-core.ts";
import { mapSecrets } from "./secrets.ts";

const hidden = "[redacted]";

/**
 * YAML without secrets. Hidden are settings marked `secret`, user and password in a URL, and every text that came from the
 * environment or from a file, also within a longer text if it has eight characters or more. Numbers and booleans are
 * shown. `schemas` are the plugins' own, by `use`.
 */
export const printConfig = (
	{ plugins, ...core }: Config,
	secrets: readonly string[],
	schemas: ReadonlyMap<string, TObject>,
): string => {
	const changes = { hide: () => hidden, show: (text: string) => withoutSecrets(text, secrets) };
	const entries = plugins.map((entry) => {
		const { use, as, enabled, with: given } = entry;
		const schema = schemas.get(use);
		const settings = schema === undefined ? given : checkSettings(schema, given, entry).value;
		return {
			use,
			...(as && { as }),
			...(!enabled && { enabled }),
			with: mapSecrets(schema ? [schema] : [], settings, changes),
		};
	});
	return stringify({ ...asRecord(mapSecrets([coreSchema], core, changes)), plugins: entries }, { lineWidth: 0 });
};

const withoutSecrets = (text: string, secrets: readonly string[]): string => {
	if (secrets.includes(text)) return hidden;
	const cut = secrets
		.filter(({ length }) => length >= 8)
		.reduce((rest, secret) => rest.replaceAll(secret, hidden), text);
	return cut.replace(/:\/\/[^/@\s]+@/, `://${hidden}@`);
};
