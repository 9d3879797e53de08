/** What went wrong, and where a person reads of it. */
export interface Incident {
	/** What the command prints that tells of it. */
	readonly told: string;
	/** The console's page on which it stands. */
	readonly page: string;
	/** What both say: what happened, to whom, and what to do. */
	readonly says: readonly string[];
	/** What the command says of it in words of its own. */
	readonly printed?: readonly string[];
	/** Whole sentences of the page. */
	readonly seen?: readonly string[];
	/** A list in which it stands out, and the command that prints the same. */
	readonly list?: { readonly page: string; readonly seen: readonly string[]; readonly told: string };
	/** Makes it good. */
	mend?(): void | Promise<void>;
}
