/** Refusals of instructions that stand anywhere but in one message at the beginning. */

/** The words of the templates that vLLM, llama.cpp, Ollama and LM Studio render for Qwen and its kin, and of MiniMax. */
const late =
	/system messages? must be (?:at the beginning|(?:the )?first)|invalid (?:chat setting|message role: system) \(2013\)/i;

/** Some servers call what their template refuses a failure of their own. */
const statuses: ReadonlySet<number> = new Set([400, 422, 500]);

/** Whether the refusal says so. */
export const refusesLateSystem = (status: number, text: string): boolean => statuses.has(status) && late.test(text);
