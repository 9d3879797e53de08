/** Code that an upstream ran itself: what was run and what it printed, in neutral words and in words for whoever did not run it. */
import type { ServerCallBlock, ServerResultBlock } from "./content.ts";
import { asRecord, asText } from "./json.ts";

/** The arguments of a `code_execution` call, as decoders give them. `language` in lower case; Python unless said. */
interface RunCode {
	readonly code: string;
	readonly language?: string;
}

/** The result of a `code_execution` call, as decoders give it. */
export interface RunOutput {
	readonly output: string;
	/** What was printed as an error. */
	readonly error?: string;
}

/** What was run; undefined for a call of another tool. */
export const codeOf = ({ tool, arguments: given }: ServerCallBlock): RunCode | undefined => {
	const code = tool === "code_execution" ? asText(asRecord(given)["code"]) : undefined;
	if (code === undefined) return undefined;
	const language = asText(asRecord(given)["language"]);
	return { code, ...(language !== undefined && { language }) };
};

/** What was printed; undefined for a result of another tool. */
export const outputOf = ({ tool, result }: ServerResultBlock): RunOutput | undefined => {
	const output = tool === "code_execution" ? asText(asRecord(result)["output"]) : undefined;
	if (output === undefined) return undefined;
	const error = asText(asRecord(result)["error"]);
	return { output, ...(error !== undefined && { error }) };
};

/** All that was printed, errors last. */
export const printed = ({ output, error = "" }: RunOutput): string =>
	output !== "" && error !== "" ? `${output}\n${error}` : output + error;

/** A run in the history as text, for a model of another provider, which can take it in no other form; undefined for other tools. */
export const runAsText = (block: ServerCallBlock | ServerResultBlock): string | undefined => {
	if (block.type === "server_call") {
		const run = codeOf(block);
		return run && `\n\nI ran this code:\n\`\`\`${run.language ?? "python"}\n${run.code}\n\`\`\`\n`;
	}
	const output = outputOf(block);
	if (!output) return undefined;
	return `\n${block.isError === true ? "It failed and printed" : "It printed"}:\n\`\`\`\n${printed(output)}\n\`\`\`\n\n`;
};
