/** What keeps the list of calls to some of them; it stands in the address, so that it can be shared. */
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { go, place, setQuery } from "../data/location.ts";
import { text, wires } from "../data/read.ts";
import { useAnswer } from "../data/use-answer.ts";
import { endings } from "./call-record.ts";
import { spans } from "./spans.ts";

const choose = (name: string) => (event: { readonly currentTarget: HTMLSelectElement }) =>
	setQuery({ [name]: event.currentTarget.value, after: undefined });

export const Filters = ({ search }: { readonly search: RefObject<HTMLInputElement> }) => {
	const words = place.value.query;
	const tokens = useAnswer("/admin/tokens?limit=1000", false).data;
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
		<form class="bar" onSubmit={open}>
			<input
				ref={search}
				type="search"
				aria-label="Open a call by its request id"
				placeholder="req_… from x-request-id   /"
				value={id}
				onInput={({ currentTarget }) => setId(currentTarget.value)}
			/>
			{/* Without it Enter opens nothing: the form has another field for text. */}
			<button type="submit">Open</button>
			<select aria-label="Token" value={words.get("token") ?? ""} onChange={choose("token")}>
				<option value="">Every token</option>
				{(tokens ? wires(tokens, "data") : []).map((token) => (
					<option key={text(token, "id")} value={text(token, "id")}>
						{text(token, "name")}
					</option>
				))}
			</select>
			<input
				type="text"
				aria-label="Model"
				placeholder="Model"
				value={model}
				onInput={({ currentTarget }) => setModel(currentTarget.value)}
				onChange={({ currentTarget }) => setQuery({ model: currentTarget.value.trim(), after: undefined })}
			/>
			<select aria-label="Ending" value={words.get("ending") ?? ""} onChange={choose("ending")}>
				<option value="">Every ending</option>
				{Object.entries(endings).map(([value, [word]]) => (
					<option key={value} value={value}>
						{word}
					</option>
				))}
			</select>
			<select aria-label="Time" value={words.get("span") ?? ""} onChange={choose("span")}>
				<option value="">All time</option>
				{spans.map(({ value, text: word }) => (
					<option key={value} value={value}>
						{word}
					</option>
				))}
			</select>
			{words.has("after") && (
				<button type="button" onClick={() => setQuery({ after: undefined })}>
					Newest
				</button>
			)}
		</form>
	);
};
