import { expect, test } from "bun:test";
import { usualModel } from "./usual-model.ts";

const models = (...names: readonly string[]) =>
	names.map((name) => ({
		...{ name, createdAt: 0, ownedBy: "portico" },
		capabilities: name.includes("embed") ? { embeds: true } : {},
	}));

test.each<[string[], string | undefined]>([
	[["fast"], "fast"],
	[["demo"], "demo"],
	[["demo", "fast"], "fast"],
	[["text-embedding-3-small", "fast"], "fast"],
	[["demo", "text-embedding-3-small"], "demo"],
	[["text-embedding-3-small"], undefined],
	[[], undefined],
])("of %j clients are told to ask for %p", (names, model) => expect(usualModel(models(...names))).toBe(model));
