/** The tiers that an answer was served at, of those that its request chose. */
import type { ServedAt } from "../contract/passthrough.ts";
import { serviceWords, tierWords } from "./request-bound.ts";

const services = new Set(["priority", "ultrafast", "flex", "batch", "scale"]);
const speeds = new Set(["fast"]);

/** `told` in the place of what was asked of its kind. What nobody knows changes nothing. */
const instead = (asked: readonly string[], kind: ReadonlySet<string>, told: readonly string[]): readonly string[] =>
	asked.some((word) => kind.has(word)) && told.every((word) => kind.has(word))
		? [...asked.filter((word) => !kind.has(word)), ...told]
		: asked;

const isTold = (word: string | undefined): boolean => word !== undefined && word !== "" && word !== "auto";

/** The tiers that are billed: vendors bill what they gave, which is less than was asked for when they are busy. */
export const servedTiers = (asked: readonly string[], { service, speed }: ServedAt = {}): readonly string[] => {
	let tiers = asked;
	if (isTold(service)) tiers = instead(tiers, services, serviceWords(service));
	if (isTold(speed)) tiers = instead(tiers, speeds, tierWords(speed));
	return tiers;
};
