/** The block of a choice that grows at the moment: one at a time, beside the tool calls. */
import type { Block, Delta, NeutralEvent } from "#core";
import type { StreamScope } from "../stream-scope.ts";

/** What happens around blocks. */
interface RunHooks {
	emit(event: NeutralEvent): void;
	/** Before a block opens. */
	opening(): void;
	/** Before a block closes: what it must still be told. */
	closing(type: Block["type"]): void;
}

export class BlockRun {
	private readonly candidate: number;
	private readonly scope: StreamScope;
	private readonly hooks: RunHooks;
	private block = -1;
	/** The type of the block that is open; undefined when none is. */
	type: Block["type"] | undefined;

	constructor(candidate: number, scope: StreamScope, hooks: RunHooks) {
		this.candidate = candidate;
		this.scope = scope;
		this.hooks = hooks;
	}

	/** Opens a block in place of the one that is open. */
	open(shell: Block): void {
		this.close();
		this.hooks.opening();
		this.block = this.scope.nextBlock();
		this.type = shell.type;
		this.hooks.emit({ type: "open", block: this.block, candidate: this.candidate, shell });
	}

	/** Lets the open block grow; one of another type gives way to `shell`. */
	grow(shell: Block, delta: Delta): void {
		if (this.type !== shell.type) this.open(shell);
		this.tell(delta);
	}

	/** Tells the open block something. */
	tell(delta: Delta): void {
		if (this.type !== undefined) this.hooks.emit({ type: "delta", block: this.block, delta });
	}

	/** Opens and closes a block that comes whole. */
	whole(block: Block): void {
		this.open(block);
		this.close();
	}

	close(): void {
		if (this.type === undefined) return;
		this.hooks.closing(this.type);
		this.hooks.emit({ type: "close", block: this.block });
		this.type = undefined;
	}

	/** Closes the open block as the whole it is now known to be. */
	closeAs(final: Block): void {
		this.hooks.emit({ type: "close", block: this.block, final });
		this.type = undefined;
	}
}
