/** Work of which one piece is done at a time. Those who have some take turns: nobody waits for all that another has. */
export class Turns {
	/** What waits, by whose it is; whose turn is next stands first. */
	private readonly lines = new Map<string, (() => void)[]>();
	private busy = false;

	async take<T>(who: string, work: () => Promise<T>): Promise<T> {
		if (this.busy) await this.called(who);
		this.busy = true;
		try {
			return await work();
		} finally {
			this.callNext();
		}
	}

	private called(who: string): Promise<void> {
		return new Promise((resolve) => {
			const line = this.lines.get(who) ?? [];
			line.push(resolve);
			this.lines.set(who, line);
		});
	}

	private callNext(): void {
		const [next] = this.lines;
		if (!next) {
			this.busy = false;
			return;
		}
		const [who, line] = next;
		const call = line.shift();
		this.lines.delete(who);
		if (line.length > 0) this.lines.set(who, line);
		call?.();
	}
}
