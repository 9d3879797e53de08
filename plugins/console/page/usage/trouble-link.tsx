/** How many calls ended in a way, with the calls themselves behind it. */
import { endingInWords } from "../calls/call-record.ts";
import { query } from "../data/call.ts";
import { count } from "../data/format.ts";
import type { Trouble } from "./troubles.ts";

interface TroubleLinkProps {
	readonly trouble: Trouble;
	/** What else keeps the list of calls to these. */
	readonly kept: Readonly<Record<string, string>>;
}

export const TroubleLink = ({ trouble: { ending, calls }, kept }: TroubleLinkProps) => (
	<a href={`/console/calls${query({ ...kept, ending })}`}>
		{count(calls)} {endingInWords(ending)}
	</a>
);
