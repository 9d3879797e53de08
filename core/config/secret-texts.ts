/** The texts of a configuration that are never shown: what its settings call `secret`. */
import { isRecord } from "../neutral/json.ts";
import { itemOf, memberOf, optionsOf, type Shape } from "./shape.ts";

const textsIn = (value: unknown): readonly string[] => {
	if (typeof value === "string") return [value];
	return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

const within = (shapes: readonly Shape[], value: unknown): readonly string[] => {
	const parts = shapes.flatMap((shape) => [shape, ...(shape.allOf ?? []), ...optionsOf(shape)]);
	if (parts.some(({ secret }) => secret === true)) return textsIn(value);
	const below = (find: (part: Shape) => Shape | undefined, member: unknown): readonly string[] =>
		within(
			parts.map(find).filter((part) => part !== undefined),
			member,
		);
	if (Array.isArray(value)) return value.flatMap((item, index) => below((part) => itemOf(part, index), item));
	if (!isRecord(value)) return [];
	return Object.entries(value).flatMap(([key, member]) => below((part) => memberOf(part, key), member));
};

export const secretTexts = (shape: Shape, value: unknown): readonly string[] => within([shape], value);
