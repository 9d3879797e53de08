/**
 * Tools that Anthropic defines and the client runs: `bash`, the text editor, memory, the computer. A model of another
 * maker knows none of them, so it is given a function of the same name and input; its calls are plain `tool_use` blocks.
 */
import { asNumber, asText, type CacheMark, definedOnly, type FunctionTool, type WireRecord } from "#core";
import { protocolName } from "./name.ts";

interface Described {
	readonly description: string;
	readonly properties: WireRecord;
	readonly required: readonly string[];
}

const text = { type: "string" };
const whole = { type: "integer" };
const point = { type: "array", items: whole, description: "x and y in pixels from the upper left corner." };
const words = (...options: readonly string[]): WireRecord => ({ type: "string", enum: options });

const editing = {
	path: { ...text, description: "An absolute path." },
	file_text: { ...text, description: "For create: what the file is to hold." },
	old_str: { ...text, description: "For str_replace: text that stands exactly once in the file." },
	new_str: { ...text, description: "For str_replace: what is to stand in its place." },
	insert_line: { ...whole, description: "For insert: the line after which the text goes, 0 for the beginning." },
	insert_text: { ...text, description: "For insert: the text." },
	view_range: { type: "array", items: whole, description: "For view: the first and the last line, -1 for the end." },
};

const actions = words(
	..."key type mouse_move left_click left_click_drag right_click middle_click double_click triple_click screenshot".split(
		" ",
	),
	..."cursor_position left_mouse_down left_mouse_up scroll hold_key wait zoom".split(" "),
);

const computer = ({ display_width_px: width, display_height_px: height }: WireRecord): Described => ({
	description: `Sees and operates a screen of ${asNumber(width) ?? "unknown"} by ${asNumber(height) ?? "unknown"} pixels.`,
	properties: {
		action: actions,
		coordinate: point,
		start_coordinate: point,
		text: { ...text, description: "What to type, or keys to press, such as ctrl+s." },
		duration: { type: "number", description: "Seconds, for hold_key and wait." },
		scroll_direction: words("up", "down", "left", "right"),
		scroll_amount: whole,
		region: { type: "array", items: whole, description: "For zoom: x0, y0, x1, y1." },
	},
	required: ["action"],
});

const kinds: readonly (readonly [RegExp, (told: WireRecord) => Described])[] = [
	[
		/^bash_\d+$/,
		() => ({
			description: "Runs a command in a bash session that goes on between calls.",
			properties: { command: text, restart: { type: "boolean", description: "True starts the session anew." } },
			required: [],
		}),
	],
	[
		/^text_editor_\d+$/,
		() => ({
			description: "Views, creates and edits files.",
			properties: { command: words("view", "create", "str_replace", "insert"), ...editing },
			required: ["command", "path"],
		}),
	],
	[
		/^memory_\d+$/,
		() => ({
			description: "Keeps notes as files under /memories between conversations. Look there first.",
			properties: {
				command: words("view", "create", "str_replace", "insert", "delete", "rename"),
				...editing,
				old_path: { ...text, description: "For rename." },
				new_path: { ...text, description: "For rename." },
			},
			required: ["command"],
		}),
	],
	[/^computer_\d+$/, computer],
];

/** Fields that the function says itself, or that say how it is framed. */
const said = new Set(["type", "name", "cache_control", "display_width_px", "display_height_px", "display_number"]);

/** The tool as a function that leads back to its definition; undefined for a tool that the client does not run. */
export const clientTool = (told: WireRecord, cache: CacheMark | undefined): FunctionTool | undefined => {
	const describe = kinds.find(([pattern]) => pattern.test(asText(told["type"]) ?? ""))?.[1];
	const name = asText(told["name"]);
	if (describe === undefined || name === undefined) return undefined;
	const { description, properties, required } = describe(told);
	const rest = Object.entries(told).filter(([field, value]) => !said.has(field) && value !== null);
	return {
		type: "function",
		name,
		description,
		schema: { type: "object", properties, required },
		...definedOnly({ cache }),
		extras: { [protocolName]: { ...Object.fromEntries(rest), definition: told } },
	};
};

/** The definition that the client gave; undefined for a function of its own. */
export const definitionOf = (tool: FunctionTool): WireRecord | undefined => {
	const definition = tool.extras?.[protocolName]?.["definition"];
	if (typeof definition !== "object" || definition === null) return undefined;
	const { cache_control: _cache, ...rest } = definition as WireRecord;
	return rest;
};
