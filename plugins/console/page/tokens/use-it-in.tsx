/** What each client must be told to use a new key: the usual ones in tabs, all others by name. */
import { useState } from "preact/hooks";
import { useAnswer } from "../data/use-answer.ts";
import { Code } from "../parts/code.tsx";
import { Failure } from "../parts/failure.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { snippetPath, snippetsIn } from "./snippets.ts";

const usual = ["curl", "openai", "anthropic", "google", "claude-code", "codex", "gemini-cli"];
const others = "Others";

export const UseItIn = ({ model }: { readonly model: string | undefined }) => {
	const { data, failure } = useAnswer(snippetPath(location.origin, model), false);
	const [tab, setTab] = useState("curl");
	const [other, setOther] = useState<string>();
	const all = snippetsIn(data);
	const rest = all.filter(({ name }) => !usual.includes(name));
	const tabs = usual.flatMap((name) => all.filter((snippet) => snippet.name === name));
	const shown =
		tab === others
			? (rest.find(({ name }) => name === other) ?? rest[0])
			: (tabs.find(({ title }) => title === tab) ?? tabs[0]);
	if (!shown) return <Failure failure={failure} />;
	return (
		<Tabs label="Use it in" names={[...tabs.map(({ title }) => title), others]} chosen={tab} choose={setTab}>
			{tab === others && (
				<p class="bar">
					<select
						aria-label="Client"
						value={shown.name}
						onChange={({ currentTarget }) => setOther(currentTarget.value)}
					>
						{rest.map(({ name, title }) => (
							<option key={name} value={name}>
								{title}
							</option>
						))}
					</select>
				</p>
			)}
			<div class="stack">
				{shown.note && <p class="quiet">{shown.note}</p>}
				{shown.parts.map(({ place, text }) => (
					<div key={text} class={place === undefined ? "prose" : undefined}>
						{place !== undefined && place !== "run" && <small class="quiet place">{place}</small>}
						<Code label={[shown.title, place].filter(Boolean).join(", ")} text={text} />
					</div>
				))}
			</div>
		</Tabs>
	);
};
