/** Below a list of which a page is shown: how many, and the way to those before. Where the page begins stands in the address. */
import { count } from "../data/format.ts";
import { place, setQuery } from "../data/location.ts";

interface OlderProps {
	readonly shown: number;
	/** What they are: "call" and "calls". */
	readonly one: string;
	readonly many: string;
	/** The id of the last, where there are more. */
	readonly last: string | undefined;
}

export const Older = ({ shown, one, many, last }: OlderProps) => (
	<div class="foot">
		<span>
			{count(shown)} {shown === 1 ? one : many}
		</span>
		<span class="bar">
			{place.value.query.has("after") && (
				<button type="button" onClick={() => setQuery({ after: undefined })}>
					Newest
				</button>
			)}
			{last !== undefined && (
				<button type="button" onClick={() => setQuery({ after: last }, true)}>
					Older
				</button>
			)}
		</span>
	</div>
);
