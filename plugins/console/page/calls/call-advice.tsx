/** What is to be done about a call, and how often the same went wrong. */
import { count } from "../data/format.ts";
import { Advice } from "../parts/advice.tsx";
import { Moment } from "../parts/moment.tsx";
import type { CallRecord } from "./call-record.ts";

export const CallAdvice = ({ call: { advice, alike } }: { readonly call: CallRecord }) => (
	<Advice advice={advice}>
		{alike && (
			<small>
				{count(alike.calls)} {alike.calls === 1 ? "call" : "calls"} ended so, the first <Moment at={alike.since} />
			</small>
		)}
	</Advice>
);
