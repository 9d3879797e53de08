/**
 * Which models are counted under their own names. Where a pattern passes names through, clients make up as many as they like: one that
 * no upstream ever answered is none, or a thousand of them would leave no room for anybody's.
 */
import type { Router } from "#core";

/** How many names that only clients gave are told apart. */
const mostAnswered = 500;

type Names = Pick<Router, "models" | "targets">;

const placeOf = (upstream: string, model: string): string => `${upstream}\n${model}`;

export class ModelNames {
	private router: Names | undefined;
	/** Of the models that the config names. Found when it is first asked for: by then everything is set up. */
	private configured: ReadonlySet<string> | undefined;
	private readonly answered = new Set<string>();

	/** Whoever routes now. */
	follow(router: Names): void {
		this.router = router;
		this.configured = undefined;
	}

	/** Of the operator's own choice, and so never too many; what had no model yet too. */
	isConfigured(upstream: string, model: string): boolean {
		if (model === "") return true;
		this.configured ??= new Set(
			(this.router?.models() ?? []).flatMap(({ name }) =>
				(this.router?.targets?.(name) ?? []).map((target) => placeOf(target.upstream.name, target.model)),
			),
		);
		return this.configured.has(placeOf(upstream, model));
	}

	/** Whether an upstream has answered for it. `well`: it does now. */
	isAnswered(upstream: string, model: string, well: boolean): boolean {
		const place = placeOf(upstream, model);
		if (well && this.answered.size < mostAnswered) this.answered.add(place);
		return this.answered.has(place);
	}
}
