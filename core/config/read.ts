/** The config file: text → positions → `${…}` → the core's own settings checked, every complaint gathered. */
import { dirname, isAbsolute, join } from "node:path";
import type { Static } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { asList, asRecord, isRecord } from "../neutral/json.ts";
import { checkSettings, type Where } from "./check.ts";
import { type Complaint, formatComplaint, type Path, type Position, whereText } from "./complaint.ts";
import { type Flaw, readDocument } from "./document.ts";
import { isUtf16 } from "./expand.ts";
import { type AdminConfig, coreSchema, type DatabaseConfig, entrySchema, type ServerConfig } from "./schema-core.ts";

/** One item of `plugins`. It is the `Where` of its own `with`: `checkSettings(plugin.config, entry.with, entry)`. */
export interface PluginEntry extends Where {
	readonly use: string;
	readonly as?: string;
	readonly enabled: boolean;
	/** As written, `${…}` expanded; not yet checked. */
	readonly with: unknown;
	/** Where `use` stands, for complaints about the plugin as a whole. */
	readonly at: Position;
}

export interface Config {
	readonly server: ServerConfig;
	readonly admin: AdminConfig;
	readonly database: DatabaseConfig;
	readonly plugins: readonly PluginEntry[];
}

interface ConfigInput {
	/** As given on the command line; `${file:…}` paths that are relative begin at its folder. */
	readonly file: string;
	readonly text: string;
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** Throws when the file cannot be read. */
	readonly readFile: (path: string) => string;
	/** Instead of whatever the file and the environment say. */
	readonly port?: number;
	/** Stand-ins for what is missing of variables and files, for whoever does not serve. */
	readonly withoutSecrets?: boolean;
}

interface ConfigReading {
	/**
	 * As much as can be made out, even if there are complaints: then plugins can be loaded and their settings checked in the
	 * same run, but it must not be started. Undefined if the file cannot be read at all.
	 */
	readonly config: Config | undefined;
	/** In the order of the file. */
	readonly complaints: readonly Complaint[];
	/** Values that came from the environment and from files: to be kept out of what is printed. */
	readonly secrets: readonly string[];
}

/** What holds where the file says nothing. */
export const defaultSettings = (): Static<typeof coreSchema> => {
	const settings = Value.Default(coreSchema, {});
	if (!Value.Check(coreSchema, settings)) throw new Error("a core setting has neither a default nor is it optional");
	return settings;
};

/** Never throws. */
export const readConfig = (input: ConfigInput): ConfigReading => {
	if (isUtf16(input.text)) {
		const message = "the file is UTF-16, or no text: save it as UTF-8";
		return { config: undefined, complaints: [{ line: 1, column: 1, where: "", message }], secrets: [] };
	}
	const beside = (path: string) => (isAbsolute(path) ? path : join(dirname(input.file), path));
	const readFile = (path: string) => input.readFile(beside(path));
	const { value: root, place, flaws, secrets, soundUntil } = readDocument(input.text, { ...input, readFile });
	const items = asList(asRecord(root)["plugins"]);
	const labels = items.map(labelOf);
	const core = checkSettings(coreSchema, root, { label: "", place });
	const complaints = [...core.complaints];
	if (root === null) complaints.push({ line: 1, column: 1, where: "", message: "the file is empty" });
	const plugins = items.flatMap((item, index) => {
		const below = (path: Path) => place(["plugins", index, ...path]);
		const where: Where = { label: labels[index] ?? "", place: below };
		const { value: checked, complaints: found } = checkSettings(entrySchema, item, where);
		complaints.push(...found);
		const entry = Value.Check(entrySchema, checked) ? checked : bareEntry(item);
		const ofSettings: Where = { ...where, place: (path) => below(["with", ...path]) };
		return entry === undefined ? [] : [{ ...entry, with: entry.with, at: below(["use"]), ...ofSettings }];
	});
	const port = portOf(input, complaints);
	const reliable = complaints.filter(({ line }) => line < soundUntil);
	const all = inOrder([...flaws.map((flaw) => complaintOf(flaw, labels)), ...reliable]);
	const settings = Value.Check(coreSchema, core.value) ? core.value : defaultSettings();
	const config = { ...settings, server: { ...settings.server, ...hostOf(input), ...port }, plugins };
	const readable = isRecord(root) && !Number.isFinite(soundUntil);
	return { config: readable ? config : undefined, complaints: all, secrets: [...new Set(secrets)] };
};

const complaintOf = ({ path, message, line, column }: Flaw, labels: readonly string[]): Complaint => {
	const [section, index, ...rest] = path;
	const label = section === "plugins" && typeof index === "number" ? labels[index] : undefined;
	const below = label === undefined ? path : rest.slice(rest[0] === "with" ? 1 : 0);
	return { line, column, where: whereText(label ?? "", below), message };
};

const labelOf = (item: unknown, index: number): string => {
	const name = isRecord(item) ? (item["as"] ?? item["use"]) : undefined;
	return `plugins[${index}]${typeof name === "string" ? ` ${name}` : ""}`;
};

/** An entry whose other members are wrong, so that its settings can still be checked. */
const bareEntry = (item: unknown) =>
	isRecord(item) && typeof item["use"] === "string"
		? { use: item["use"], enabled: true, with: item["with"] }
		: undefined;

/** `PORTICO_PORT`, unless it is what Kubernetes tells of a Service called `portico`: `tcp://10.96.3.4:80`. */
export const portIn = (environment: ConfigInput["environment"]): string | undefined => {
	const text = environment["PORTICO_PORT"];
	return text === undefined || text === "" || text.startsWith("tcp://") ? undefined : text;
};

const portOf = ({ port, environment }: ConfigInput, complaints: Complaint[]): { port?: number } => {
	if (port !== undefined) return { port };
	const text = portIn(environment);
	if (text === undefined) return {};
	if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return { port: Number(text) };
	const message = "expected a port from 0 to 65535 in the environment";
	complaints.push({ line: 1, column: 1, where: "PORTICO_PORT", message });
	return {};
};

/** For an image, which always has to listen on every address of its container. */
const hostOf = ({ environment }: ConfigInput): { host?: string } => {
	const host = environment["PORTICO_HOST"];
	return host ? { host } : {};
};

/** By place in the file, each once. */
const inOrder = (complaints: readonly Complaint[]): Complaint[] => {
	const once = new Map(complaints.map((complaint) => [formatComplaint("", complaint), complaint]));
	return [...once.values()].toSorted((one, other) => one.line - other.line || one.column - other.column);
};
