/** What a client must be told to use this gateway: settings as data, so that they can be printed, shown in a page, or written. */

export interface Gateway {
	/** Without a path: `http://127.0.0.1:8787`. */
	readonly address: string;
	readonly key: string;
	readonly model: string;
}

/** What stands in for a key that was not given. */
export const keyPlaceholder = "YOUR_KEY";

/** What stands in for a model where none is known by its name. */
export const modelPlaceholder = "MODEL";

export type Setting =
	/** Variables of the environment. `file` is where the client looks for them as `NAME=value`; without it they are set by hand. */
	| { readonly kind: "environment"; readonly variables: Readonly<Record<string, string>>; readonly file?: string }
	/** A part of a file that may hold more. `once` is only for a file that does not have those members. */
	| {
			readonly kind: "json" | "yaml";
			readonly file: string;
			readonly content: Readonly<Record<string, unknown>>;
			readonly once?: Readonly<Record<string, unknown>>;
	  }
	/** Members at the top of a TOML file, and one table. */
	| {
			readonly kind: "toml";
			readonly file: string;
			readonly top: Readonly<Record<string, string>>;
			readonly table: string;
			readonly members: Readonly<Record<string, string>>;
	  }
	/** A command that the client has for it. */
	| { readonly kind: "command"; readonly words: readonly string[] }
	/** What a person does in the client's windows. */
	| { readonly kind: "steps"; readonly steps: readonly string[] };

export interface Client {
	/** As in `portico connect NAME`. */
	readonly name: string;
	readonly title: string;
	/** What else is good to know, in a sentence. */
	readonly note?: string;
	/** The protocol it speaks, as its plugin is called; absent where it may be one of several. */
	readonly protocol?: string;
	settings(gateway: Gateway): readonly Setting[];
}
