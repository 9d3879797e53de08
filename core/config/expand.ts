/**
 * Expands `${VAR}`, `${VAR:-default}`, `${VAR:?message}` and `${file:/path}` in one text; `$${` stands for a plain `${`.
 * What comes out is neither expanded again nor parsed as YAML, so a value cannot change the shape of the file.
 */
export interface Sources {
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** Throws when the file cannot be read. */
	readonly readFile: (path: string) => string;
	/** What is missing is stood in for, by a text that is no key. */
	readonly withoutSecrets?: boolean;
}

/** What one reference stands for, or what is wrong with it. */
type Resolved =
	| { readonly text: string; readonly secret: boolean }
	| { readonly problem: string; readonly missing?: true };

interface Expansion {
	readonly text: string;
	/** Whether a reference stood in the text. */
	readonly expanded: boolean;
	readonly problems: readonly string[];
	/** What is missing and was stood in for. */
	readonly missing: readonly string[];
	/** What came from the environment and from files. */
	readonly secrets: readonly string[];
}

export const expand = (template: string, sources: Sources): Expansion => {
	const problems: string[] = [];
	const missing: string[] = [];
	const secrets: string[] = [];
	let expanded = false;
	const text = template.replace(/\$\$\{|\$\{([^}]*)\}?/g, (reference) => {
		if (reference === "$${") return "${";
		expanded = true;
		const resolved = resolve(reference, sources);
		if ("problem" in resolved && resolved.missing && sources.withoutSecrets) {
			missing.push(resolved.problem);
			return standIn;
		}
		if ("problem" in resolved) problems.push(resolved.problem);
		else if (resolved.secret && resolved.text !== "") secrets.push(resolved.text);
		return "problem" in resolved ? "" : resolved.text;
	});
	return { text, expanded, problems, missing, secrets: secrets.length > 0 ? [...secrets, text] : [] };
};

const standIn = "missing";

/** A text in UTF-16, as some editors and shells of Windows write it, read as UTF-8. */
export const isUtf16 = (text: string): boolean => text.includes("\0");

/** A byte order mark and one line end at the end are cut. */
const resolveFile = (path: string, readFile: Sources["readFile"]): Resolved => {
	try {
		const text = readFile(path);
		if (isUtf16(text)) return { problem: `the file ${path} is UTF-16, or no text: save it as UTF-8` };
		return { text: text.replace(/^\uFEFF/, "").replace(/\r?\n$/, ""), secret: true };
	} catch (error) {
		const code = error instanceof Error && "code" in error ? String(error.code) : "no reason was given";
		return { problem: `the file ${path} cannot be read (${code})`, missing: true };
	}
};

/** As in a shell, `:-` and `:?` take an empty variable for a missing one. */
const resolve = (reference: string, { environment, readFile }: Sources): Resolved => {
	const [, path, name = "", mark, rest = ""] =
		/^\$\{(?:file:([^{}]+)|([A-Za-z_]\w*)(?:(:[-?])([^{}]*))?)\}$/.exec(reference) ?? [];
	if (path !== undefined) return resolveFile(path, readFile);
	if (name === "") {
		const forms = `write \${NAME}, \${NAME:-default}, \${NAME:?message} or \${file:/path}, or $\${ for a plain \${`;
		return { problem: `${JSON.stringify(reference)} is not a reference: ${forms}` };
	}
	const value = environment[name];
	if (typeof value === "string" && (value !== "" || mark === undefined)) return { text: value, secret: true };
	if (mark === ":-") return { text: rest, secret: false };
	if (mark === ":?" && rest !== "") return { problem: `${rest} (the variable ${name})`, missing: true };
	return {
		problem: `the variable ${name} is not set: set it before the start, or write \${${name}:-default}`,
		missing: true,
	};
};
