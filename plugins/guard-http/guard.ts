/** The guard that has an inspector look: at all texts of a request at once, at an answer as it grows. */
import {
	type AnswerGuard,
	type AnswerVerdict,
	deny,
	type Guard,
	mapTexts,
	type RequestVerdict,
	type Routed,
} from "#core";
import type { Inspector } from "./inspector.ts";
import { readVerdict, type Verdict } from "./verdict.ts";

interface HttpGuardOptions {
	readonly name: string;
	readonly ask: Inspector;
	/** Whether answers are looked at too, and how many characters of one are seen again beside new ones. */
	readonly answers: boolean;
	readonly window: number;
}

/** What the inspector is told of the call. */
const told = (call: Routed) => ({
	call: call.id,
	token: call.token.id,
	model: call.model.name,
	protocol: call.protocol,
	operation: call.surface === "task" ? call.taskKind : call.model.operation,
});

const refusal = ({ message, code }: Extract<Verdict, { action: "refuse" }>) => deny("permission", message, { code });

/** Why it failed goes to the log; the caller is told that a guard could not look. */
const failing = async (ask: () => Promise<Verdict>): Promise<Verdict> => {
	try {
		return await ask();
	} catch (error) {
		throw new Error(`the inspector failed: ${error instanceof Error ? error.message : "unknown"}`, { cause: error });
	}
};

export const httpGuard = ({ name, ask, answers, window }: HttpGuardOptions): Guard => {
	const inspect = (question: object, texts: readonly string[]): Promise<Verdict> =>
		failing(async () => readVerdict(await ask({ ...question, texts }), texts.length));

	const answerGuard = (call: Routed): AnswerGuard => ({
		window,
		every: window,
		async inspect({ type, text, last }): Promise<AnswerVerdict> {
			const verdict = await inspect({ phase: "answer", ...told(call), type, last }, [text]);
			if (verdict.action === "pass") return undefined;
			if (verdict.action === "refuse") return { refuse: refusal(verdict) };
			const [replace = ""] = verdict.texts;
			return { replace };
		},
	});

	return {
		name,
		async inspect(request, call): Promise<RequestVerdict> {
			const texts = new Set<string>();
			mapTexts(request, (text) => {
				texts.add(text);
				return text;
			});
			const all = [...texts];
			const answer = answers ? { answer: answerGuard(call) } : undefined;
			const verdict = await inspect({ phase: "request", ...told(call) }, all);
			if (verdict.action === "pass") return answer;
			if (verdict.action === "refuse") return { refuse: refusal(verdict) };
			const words = new Map(all.map((text, index) => [text, verdict.texts[index] ?? text]));
			const replace = mapTexts(request, (text) => words.get(text) ?? text);
			return { replace, restore: verdict.restore, ...answer };
		},
	};
};
