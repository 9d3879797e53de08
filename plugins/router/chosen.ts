/** What plugins choose among the targets of a model, by what a call says. */
import type { AskedCall, Target } from "#core";
import type { Chooser } from "./service.ts";

/** The model whose targets are to be asked first; undefined: as ever. Throws for one that none of the targets has. */
export type ChosenBy = (name: string, targets: readonly Target[], call: AskedCall) => string | undefined;

/** `choosers` is read at the first call, once every plugin has offered what it has. */
export const createChosenBy = (choosers: () => readonly Chooser[]): ChosenBy => {
	let byModel: ReadonlyMap<string, Chooser> | undefined;
	return (name, targets, call) => {
		byModel ??= new Map(choosers().map((chooser) => [chooser.model, chooser]));
		const chosen = byModel.get(name)?.choose(call);
		if (chosen === undefined || targets.some(({ model }) => model === chosen)) return chosen;
		const known = targets.map(({ model }) => model).join(", ");
		throw new TypeError(`a plugin chose "${String(chosen)}" among the targets of "${name}", which are ${known}`);
	};
};
