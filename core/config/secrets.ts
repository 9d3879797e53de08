/** What is never shown of a configuration: what its settings call `secret`. */
import { isRecord } from "../neutral/json.ts";
import { itemOf, memberOf, optionsOf, type Shape } from "./shape.ts";

/** What is put in the place of a secret, and of every other text. */
interface Changes {
	hide(secret: unknown): unknown;
	show(text: string): string;
}

/** The value of a setting with its secrets hidden; `shapes`: all that its schema says of it. */
export const mapSecrets = (shapes: readonly Shape[], value: unknown, changes: Changes): unknown => {
	const parts = shapes.flatMap((shape) => [shape, ...(shape.allOf ?? []), ...optionsOf(shape)]);
	if (value !== null && parts.some(({ secret }) => secret === true)) return changes.hide(value);
	if (typeof value === "string") return changes.show(value);
	const below = (find: (part: Shape) => Shape | undefined, member: unknown): unknown =>
		mapSecrets(
			parts.map(find).filter((part) => part !== undefined),
			member,
			changes,
		);
	if (Array.isArray(value)) return value.map((item, index) => below((part) => itemOf(part, index), item));
	if (!isRecord(value)) return value;
	const members = Object.entries(value).map(([key, member]) => [key, below((part) => memberOf(part, key), member)]);
	return Object.fromEntries(members);
};

const textsIn = (value: unknown): readonly string[] => {
	if (typeof value === "string") return [value];
	return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

export const secretTexts = (shape: Shape, value: unknown): readonly string[] => {
	const found: string[] = [];
	mapSecrets([shape], value, { hide: (secret) => void found.push(...textsIn(secret)), show: (text) => text });
	return found;
};
