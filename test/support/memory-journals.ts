/** Journals in memory that a test can take away from their process, as `kill -9` does: what was not yet written is lost. */
import type { Journal, Journals, LeftJournal } from "../../plugins/quota/journal.ts";

export class MemoryJournals implements Journals {
	private readonly disk = new Map<string, string[]>();
	private readonly open = new Map<string, MemoryJournal>();
	/** Changes what a later process finds: a planted fault. */
	readonly alter: (line: string) => boolean;

	constructor(alter: (line: string) => boolean = () => true) {
		this.alter = alter;
	}

	begin(process: string): Journal {
		const journal = new MemoryJournal(this.disk, process);
		this.open.set(process, journal);
		return journal;
	}

	left(): readonly LeftJournal[] {
		return [...this.disk].map(([process, lines]) => ({
			process,
			path: process,
			records: () => lines.filter(this.alter).map((line) => line.split("\t")),
			remove: () => void this.disk.delete(process),
			keep: () => {
				this.disk.delete(process);
				return process;
			},
		}));
	}

	/** The end of this turn of the event loop: what waits is written. */
	turn(): void {
		for (const journal of this.open.values()) journal.flush();
	}

	/** The machine lost power: the last lines had not reached the disk. */
	lose(process: string, lines: number): void {
		const kept = this.disk.get(process);
		if (kept) kept.length = Math.max(1, kept.length - lines);
	}

	/** The process is gone. */
	kill(process: string): void {
		this.open.get(process)?.die();
		this.open.delete(process);
	}
}

class MemoryJournal implements Journal {
	size = 0;
	private readonly disk: Map<string, string[]>;
	private readonly process: string;
	private tail: string[] = [];
	private dead = false;

	constructor(disk: Map<string, string[]>, process: string) {
		this.disk = disk;
		this.process = process;
	}

	now(line: string): void {
		this.tail.push(line);
		this.flush();
	}

	soon(line: string): void {
		this.tail.push(line);
	}

	async kept(): Promise<void> {
		this.flush();
	}

	flush(): void {
		if (this.dead) return;
		this.disk.get(this.process)?.push(...this.tail);
		for (const line of this.tail) this.size += line.length;
		this.tail = [];
	}

	restart(lines: readonly string[]): void {
		if (this.dead) return;
		this.disk.set(this.process, [...lines]);
		this.tail = [];
		this.size = 0;
	}

	close(remove: boolean): void {
		this.flush();
		if (remove && !this.dead) this.disk.delete(this.process);
		this.dead = true;
	}

	die(): void {
		this.dead = true;
	}
}
