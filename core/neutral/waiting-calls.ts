/** Finds the call that a result answers, where results may come without the id of theirs. */

interface Call {
	readonly id: string;
	answered: boolean;
}

/** Calls in their order; one that was answered is passed over once. */
class Line {
	private readonly calls: Call[] = [];
	private next = 0;

	add(call: Call): void {
		this.calls.push(call);
	}

	first(): Call | undefined {
		while (this.calls[this.next]?.answered) this.next++;
		return this.calls[this.next];
	}
}

const lineOf = (lines: Map<string, Line>, key: string): Line => {
	const known = lines.get(key);
	if (known) return known;
	const line = new Line();
	lines.set(key, line);
	return line;
};

/**
 * By id, else the oldest call of that name still waiting. However many wait, and in whatever order they are answered. A name
 * that no call has is none: Semantic Kernel calls Gemini's functions otherwise in calls than in their results.
 */
export class WaitingCalls {
	private readonly all = new Line();
	private readonly byId = new Map<string, Line>();
	private readonly byName = new Map<string, Line>();

	add(id: string, name: string): void {
		const call: Call = { id, answered: false };
		this.all.add(call);
		lineOf(this.byId, id).add(call);
		lineOf(this.byName, name).add(call);
	}

	/** The id of the call answered, which waits no more; undefined when no call fits. */
	take(id: string | undefined, name: string | undefined): string | undefined {
		const same = id === undefined ? undefined : this.byId.get(id);
		const named = same?.first();
		if (same && !named) return id;
		const nameless = name === undefined || (id === undefined && !this.byName.has(name));
		const call = named ?? (nameless ? this.all : this.byName.get(name))?.first();
		if (call) call.answered = true;
		return call?.id;
	}
}
