/** What keeps the list of calls to some of them; it stands in the address, so that it can be shared. */
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { go, place, setQuery } from "../data/location.ts";
import { usePersonNames } from "../data/person-names.ts";
import { useNamedTokens } from "../data/token-names.ts";
import { Search } from "../parts/search.tsx";
import { asTime, localTime } from "../tokens/times.ts";
import { endings, notCompleted } from "./call-record.ts";
import { OwnTimes } from "./own-times.tsx";
import { givenTimes, spans } from "./spans.ts";

/** What was chosen takes the place of having none of it. */
const keepTo = (name: string, value: string): void =>
	setQuery({
		[name]: value,
		after: undefined,
		...(place.value.query.get("without") === name && { without: undefined }),
	});

const choose = (name: string) => (event: { readonly currentTarget: HTMLSelectElement }) =>
	keepTo(name, event.currentTarget.value);

const own = "own";
const hourMs = 3_600_000;

/** In the words of the page that leads here. */
const lacks: Readonly<Record<string, string>> = {
	token: "No token",
	model: "No known model",
	upstream: "No upstream",
	owner: "No person",
};

/** Times that a link brought along make way for the chosen; times of one's own begin with the last hour, to be written anew. */
const chooseSpan = ({ currentTarget: { value } }: { readonly currentTarget: HTMLSelectElement }) =>
	value === own
		? setQuery({ span: undefined, from: asTime(localTime(Date.now() - hourMs)), to: undefined, after: undefined })
		: setQuery({ span: value, from: undefined, to: undefined, after: undefined });

/** What a link brought along and no field here chooses; pressed, it goes. */
const Brought = ({ name, say }: { readonly name: string; say(value: string): string | undefined }) => {
	const value = place.value.query.get(name);
	const what = value === null ? undefined : say(value);
	if (what === undefined) return null;
	return (
		<button type="button" title="Show the others too" onClick={() => setQuery({ [name]: undefined, after: undefined })}>
			{what} <span aria-hidden="true">×</span>
			<span class="unseen">: show the others too</span>
		</button>
	);
};

interface FiltersProps {
	readonly search: RefObject<HTMLInputElement>;
	/** Of the token that is chosen, where a call tells it. */
	readonly tokenName: string | undefined;
}

export const Filters = ({ search, tokenName }: FiltersProps) => {
	const words = place.value.query;
	const { tokens, more } = useNamedTokens();
	const personName = usePersonNames();
	const token = words.get("token") ?? "";
	const given = givenTimes(words);
	const [id, setId] = useState("");
	const asked = words.get("model") ?? "";
	/** Kept while it is written: the list is asked anew in between, and what stands in the address would take its place. */
	const [model, setModel] = useState(asked);
	useEffect(() => setModel(asked), [asked]);
	const open = (event: Event) => {
		event.preventDefault();
		if (id.trim() !== "") go(`/console/calls/${encodeURIComponent(id.trim())}${location.search}`);
	};
	return (
		<form class="bar filters" onSubmit={open}>
			<span class="opens">
				<Search
					input={search}
					label="Open a call by its request id"
					placeholder="req_… from x-request-id   /"
					value={id}
					change={setId}
				/>
				{/* Without it Enter opens nothing: the form has another field for text. */}
				<button type="submit">Open</button>
			</span>
			<select aria-label="Token" value={token} onChange={choose("token")}>
				<option value="">Every token</option>
				{token !== "" && !tokens.some(({ id }) => id === token) && <option value={token}>{tokenName ?? token}</option>}
				{tokens.map((one) => (
					<option key={one.id} value={one.id}>
						{one.label}
					</option>
				))}
				{more && <option disabled>{more}</option>}
			</select>
			<input
				type="text"
				aria-label="Model"
				placeholder="Model"
				value={model}
				onInput={({ currentTarget }) => setModel(currentTarget.value)}
				onChange={({ currentTarget }) => keepTo("model", currentTarget.value.trim())}
			/>
			<select aria-label="Ending" value={words.get("ending") ?? ""} onChange={choose("ending")}>
				<option value="">Every ending</option>
				<option value={notCompleted}>Not completed</option>
				{Object.entries(endings).map(([value, [word]]) => (
					<option key={value} value={value}>
						{word}
					</option>
				))}
			</select>
			<select aria-label="Time" value={given ? "given" : (words.get("span") ?? "")} onChange={chooseSpan}>
				<option value="">All time</option>
				{given && <option value="given">{given}</option>}
				{spans.map(({ value, text: word }) => (
					<option key={value} value={value}>
						{word}
					</option>
				))}
				{!given && <option value={own}>From … until …</option>}
			</select>
			{given && <OwnTimes />}
			<Brought name="upstream" say={(upstream) => `At ${upstream}`} />
			<Brought name="tag" say={(tag) => `Tagged ${tag}`} />
			<Brought name="without" say={(what) => lacks[what]} />
			<Brought name="owner" say={(owner) => `Of ${personName(owner)}`} />
		</form>
	);
};
