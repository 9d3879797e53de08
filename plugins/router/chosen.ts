/** What plugins choose among the targets of a model, by what a call says. */
import type { AskedCall, Target } from "#core";
import type { Chooser } from "./service.ts";

export interface Choosing {
	/** Whether a plugin chooses for this configured model. */
	isFor(name: string): boolean;
	/** Tells the targets that are to be asked first; undefined: as ever. Throws where none of them is meant. */
	chosen(name: string, targets: readonly Target[], call: AskedCall): ((target: Target) => boolean) | undefined;
}

const hasModel =
	(name: string) =>
	({ model }: Target): boolean =>
		model === name;
const isAt =
	(name: string) =>
	({ upstream }: Target): boolean =>
		upstream.name === name;

/** `choosers` is read at the first question, once every plugin has offered what it has. */
export const createChoosing = (choosers: () => readonly Chooser[]): Choosing => {
	let byModel: ReadonlyMap<string, Chooser> | undefined;
	const chooserOf = (name: string): Chooser | undefined => {
		byModel ??= new Map(choosers().map((chooser) => [chooser.model, chooser]));
		return byModel.get(name);
	};
	return {
		isFor: (name) => chooserOf(name) !== undefined,
		chosen(name, targets, call) {
			const chosen = chooserOf(name)?.choose(call);
			if (chosen === undefined) return undefined;
			for (const isChosen of [hasModel(chosen), isAt(chosen)]) if (targets.some(isChosen)) return isChosen;
			const known = targets.map(({ model, upstream }) => `${model} at ${upstream.name}`).join(", ");
			throw new TypeError(`a plugin chose "${String(chosen)}" among the targets of "${name}", which are ${known}`);
		},
	};
};
