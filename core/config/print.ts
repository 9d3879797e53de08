/** `print-config`: the configuration as it is understood, defaults filled in, secrets taken out. */
import type { TObject } from "@sinclair/typebox";
import { stringify } from "yaml";
import { asRecord, isRecord } from "../neutral/json.ts";
import { checkSettings } from "./check.ts";
import type { Config } from "./read.ts";
import { coreSchema } from "./schema-core.ts";
import { itemOf, memberOf, optionsOf, type Shape } from "./shape.ts";

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
	const entries = plugins.map((entry) => {
		const { use, as, enabled, with: given } = entry;
		const schema = schemas.get(use);
		const settings = schema === undefined ? given : checkSettings(schema, given, entry).value;
		return {
			use,
			...(as && { as }),
			...(!enabled && { enabled }),
			with: redact(schema ? [schema] : [], settings, secrets),
		};
	});
	return stringify({ ...asRecord(redact([coreSchema], core, secrets)), plugins: entries }, { lineWidth: 0 });
};

const redact = (shapes: readonly Shape[], value: unknown, secrets: readonly string[]): unknown => {
	const parts = shapes.flatMap((shape) => [shape, ...(shape.allOf ?? []), ...optionsOf(shape)]);
	if (value !== null && parts.some(({ secret }) => secret === true)) return hidden;
	if (typeof value === "string") return withoutSecrets(value, secrets);
	const below = (find: (part: Shape) => Shape | undefined, member: unknown) =>
		redact(
			parts.map(find).filter((part) => part !== undefined),
			member,
			secrets,
		);
	if (Array.isArray(value)) return value.map((item, index) => below((part) => itemOf(part, index), item));
	if (!isRecord(value)) return value;
	const members = Object.entries(value).map(([key, member]) => [key, below((part) => memberOf(part, key), member)]);
	return Object.fromEntries(members);
};

const withoutSecrets = (text: string, secrets: readonly string[]): string => {
	if (secrets.includes(text)) return hidden;
	const cut = secrets
		.filter(({ length }) => length >= 8)
		.reduce((rest, secret) => rest.replaceAll(secret, hidden), text);
	return cut.replace(/:\/\/[^/@\s]+@/, `://${hidden}@`);
};
