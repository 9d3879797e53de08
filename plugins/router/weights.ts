/** In which order the targets of a model are asked by their weights. */
import type { ModelSetting } from "./settings.ts";

type Targets = ModelSetting["targets"];

const weighted = (targets: Targets): Targets => targets.filter(({ weight = 0 }) => weight > 0);

/** Those with a weight come first, the first of them by where `drawn`, from 0 to 1, falls among them; then the rest. */
export const byWeight = (targets: Targets, drawn: number): Targets => {
	const heavy = weighted(targets);
	let point = drawn * heavy.reduce((sum, { weight = 0 }) => sum + weight, 0);
	const first =
		heavy.find(({ weight = 0 }) => {
			point -= weight;
			return point < 0;
		}) ?? heavy[0];
	return [
		...(first ? [first] : []),
		...heavy.filter((target) => target !== first),
		...targets.filter(({ weight }) => weight === undefined),
	];
};

/** Why the first target is the first. */
export const whyFirst = (targets: Targets, affinity: string | undefined): string => {
	if (targets.length === 1) return "only";
	const { length } = weighted(targets);
	if (length === 0) return "first";
	return length === 1 || affinity === undefined ? "weight" : "affinity";
};
