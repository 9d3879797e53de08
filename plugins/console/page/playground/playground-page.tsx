/** Any model through any protocol, streamed, with the events as they came beside the text. */
import { useEffect, useRef, useState } from "preact/hooks";
import { call, Refusal } from "../data/call.ts";
import { seconds } from "../data/format.ts";
import { useKept } from "../data/kept.ts";
import { text } from "../data/read.ts";
import { quoted } from "../data/shell.ts";
import { useAction } from "../data/use-action.ts";
import { useAnswer } from "../data/use-answer.ts";
import { Code } from "../parts/code.tsx";
import { Failure } from "../parts/failure.tsx";
import { Field } from "../parts/field.tsx";
import { Head } from "../parts/head.tsx";
import { Scrolled } from "../parts/scrolled.tsx";
import { Segments } from "../parts/segments.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { snippetPath } from "../tokens/snippets.ts";
import { type Asking, askings, wrongIn } from "./asking.ts";
import { ModelField } from "./model-field.tsx";
import { streamEvents } from "./stream.ts";

const question = "Say in one sentence what a portico is.";

const curl = (asking: Asking, model: string, prompt: string): string =>
	[
		`curl -N ${quoted(location.origin + asking.path(model))} \\`,
		'  -H "authorization: Bearer $PORTICO_KEY" \\',
		'  -H "content-type: application/json" \\',
		`  -d ${quoted(JSON.stringify(asking.body(model, prompt)))}`,
	].join("\n");

interface Answer {
	readonly words: string;
	readonly events: readonly string[];
	readonly firstMs?: number;
	readonly tookMs?: number;
	readonly requestId?: string | undefined;
	/** How it ended, where it did not come to its end. */
	readonly cut?: "stopped" | "refused";
}

const nothing: Answer = { words: "", events: [] };

/** Why there are no words. */
const silence = (busy: boolean, { events, cut }: Answer): string => {
	if (busy) return "Waiting for the first word.";
	if (cut !== undefined) return cut === "stopped" ? "Stopped before the first word." : "No words came.";
	return events.length === 0 ? "Nothing was asked yet." : "No words came; the events say what did.";
};

export const PlaygroundPage = () => {
	const [key, setKey] = useState("");
	const { data: clients } = useAnswer(snippetPath(location.origin, undefined), false);
	const [chosen, setModel] = useState<string>();
	const model = chosen ?? text(clients ?? {}, "model") ?? "";
	const [protocol, setProtocol] = useState("chat-completions");
	const [prompt, setPrompt] = useState(question);
	const [answer, setAnswer] = useState(nothing);
	const [tab, setTab] = useState("Answer");
	const abort = useRef<AbortController>();
	// Whoever leaves does not wait for the rest, and is not charged for it.
	useEffect(() => () => abort.current?.abort(), []);
	const { busy, failure, run } = useAction();
	const making = useAction();
	useKept(making.busy || key !== "" || prompt !== question, false);
	const asking = askings.find(({ name }) => name === protocol) ?? askings[0];
	if (!asking) return null;

	const ask = async (): Promise<void> => {
		const controller = new AbortController();
		abort.current = controller;
		const began = performance.now();
		setAnswer(nothing);
		let wrong: string | undefined;
		try {
			const requestId = await streamEvents(
				asking.path(model),
				key.trim(),
				asking.body(model, prompt),
				({ raw, event }) => {
					wrong ??= wrongIn(event);
					setAnswer((so) => ({
						words: so.words + asking.words(event),
						events: [...so.events, raw],
						firstMs: so.firstMs ?? performance.now() - began,
					}));
				},
				controller.signal,
			);
			setAnswer((so) => ({ ...so, tookMs: performance.now() - began, requestId }));
			if (wrong !== undefined) throw new Refusal(wrong, 200, undefined, requestId);
		} catch (error) {
			if (controller.signal.aborted) return setAnswer((so) => ({ ...so, cut: "stopped" }));
			const refusal = error instanceof Refusal ? error : new Refusal("The answer broke off.", 0);
			// Of a key that is nobody's the call is nobody's either, and only admins could read on.
			const known = refusal.status !== 401 && refusal.requestId !== undefined && { requestId: refusal.requestId };
			setAnswer((so) => ({ ...so, ...known, cut: "refused" }));
			throw refusal;
		}
	};

	const makeToken = () =>
		making.run(async () => {
			const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
			setKey(text(await call("POST", "/admin/tokens", { name: "playground", quota: 1, expiresAt }), "key") ?? "");
		});

	return (
		<>
			<Head title="Playground">Ask a model as an application would: with a token, over the public routes.</Head>
			<div class="pair">
				<form
					class="stack"
					onSubmit={(event) => {
						event.preventDefault();
						run(ask);
					}}
				>
					<Field
						label="Key"
						type="password"
						value={key}
						change={setKey}
						autocomplete="off"
						required
						note="It stays in this page and is gone when you leave it."
					>
						<div>
							<button type="button" disabled={making.busy} onClick={makeToken}>
								Make one for an hour and one dollar
							</button>
						</div>
					</Field>
					<Failure failure={making.failure} />
					<ModelField apiKey={key} model={model} change={setModel} />
					<Segments
						label="Protocol"
						value={protocol}
						choose={setProtocol}
						options={askings.map(({ name }) => ({ value: name, text: name }))}
					/>
					<div class="field">
						<label for="prompt">Prompt</label>
						<textarea
							id="prompt"
							dir="auto"
							rows={6}
							value={prompt}
							required
							aria-describedby="prompt-note"
							onInput={({ currentTarget }) => setPrompt(currentTarget.value)}
							onKeyDown={(event) => {
								if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
									event.currentTarget.form?.requestSubmit();
							}}
						/>
						<small id="prompt-note">Ctrl+Enter sends it.</small>
					</div>
					<div class="bar">
						<button type="submit" class="first" disabled={busy}>
							Send
						</button>
						{busy && (
							<button type="button" onClick={() => abort.current?.abort()}>
								Stop
							</button>
						)}
					</div>
				</form>
				<section class="panel" aria-label="What came">
					<Failure failure={failure} />
					<Tabs label="Shown as" names={["Answer", "Events", "curl"]} chosen={tab} choose={setTab}>
						{tab === "Answer" && (
							<p class="answer" dir="auto" aria-live="polite" aria-busy={busy}>
								{answer.words || <span class="quiet">{silence(busy, answer)}</span>}
							</p>
						)}
						{tab === "Events" && (
							<Scrolled frame="events" label="Events" text={answer.events.join("\n\n") || "No event yet."} />
						)}
						{tab === "curl" && <Code label="As curl" text={curl(asking, model, prompt)} />}
					</Tabs>
					<div class="foot">
						<span>
							{answer.events.length === 1 ? "1 event" : `${answer.events.length} events`}
							{answer.firstMs !== undefined && `, the first after ${seconds(answer.firstMs)}`}
							{answer.tookMs !== undefined && `, the last after ${seconds(answer.tookMs)}`}
						</span>
						{answer.requestId && <a href={`/console/calls/${answer.requestId}`}>Explain this call</a>}
					</div>
				</section>
			</div>
		</>
	);
};
