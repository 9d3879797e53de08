/** Something that is wrong with the server, as whoever asks how it is hears of it. */

/** How often something failed in a plugin, and what it said last. Times in milliseconds since 1970. */
export interface Failures {
	/** `The policy "night-watch"`. */
	readonly part: string;
	readonly isJob: boolean;
	readonly since: number;
	readonly last: number;
	readonly times: number;
	readonly words: string;
}

export interface Trouble {
	readonly what: "certificate" | "clock" | "config" | "database" | "disk" | "open files" | "plugin" | "worker";
	/** Milliseconds since 1970. */
	readonly since: number;
	readonly message: string;
	readonly advice: string;
	/** Of a plugin: what its message says, in figures. */
	readonly failures?: Failures;
}
