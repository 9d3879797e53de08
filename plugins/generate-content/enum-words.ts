/** Words of Google's enums. Its JSON takes the number for the word, and its older SDKs send nothing else. */
import { asText } from "#core";

/** Reads one enum, whose words stand here in the order of their numbers; capitals do not matter. */
const enumReader =
	(...words: readonly string[]) =>
	(value: unknown): string | undefined =>
		typeof value === "number" ? words[value] : asText(value)?.toUpperCase();

/** `Schema.type`. */
export const typeWord = enumReader(
	"TYPE_UNSPECIFIED",
	"STRING",
	"NUMBER",
	"INTEGER",
	"BOOLEAN",
	"ARRAY",
	"OBJECT",
	"NULL",
);

/** `FunctionCallingConfig.mode`. */
export const modeWord = enumReader("MODE_UNSPECIFIED", "AUTO", "ANY", "NONE");

/** An entry of `GenerationConfig.responseModalities`. */
export const modalityWord = enumReader("MODALITY_UNSPECIFIED", "TEXT", "IMAGE", "AUDIO");

/** `ExecutableCode.language`. */
export const languageWord = enumReader("LANGUAGE_UNSPECIFIED", "PYTHON");

/** `CodeExecutionResult.outcome`. */
export const outcomeWord = enumReader(
	"OUTCOME_UNSPECIFIED",
	"OUTCOME_OK",
	"OUTCOME_FAILED",
	"OUTCOME_DEADLINE_EXCEEDED",
);
