/** The upstreams, and what went wrong with each. */
import { query } from "../data/call.ts";
import { count, toMinute } from "../data/format.ts";
import { wires } from "../data/read.ts";
import { useAnswer } from "../data/use-answer.ts";
import { withCode } from "../parts/advice.tsx";
import { Failure } from "../parts/failure.tsx";
import { Moment } from "../parts/moment.tsx";
import { State } from "../parts/state.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { stateOf, type Upstream, upstreamOf } from "./upstream.ts";

const columns: readonly Column<Upstream>[] = [
	{ title: "Upstream", kind: "lead", cell: ({ name }) => name },
	{
		title: "Failures in a row",
		kind: "figure",
		cell: ({ failures, failingSince }) => (
			<>
				{count(failures)}
				{failingSince !== undefined && <small>since {toMinute(failingSince)}</small>}
			</>
		),
	},
	{
		title: "Last failure",
		cell: ({ name, failures, lastFailure }) =>
			lastFailure ? (
				<span>
					{lastFailure.message}
					<small>
						{lastFailure.kind}
						{lastFailure.status !== undefined && ` (${lastFailure.status})`}, <Moment at={lastFailure.at} />
					</small>
					{failures > 0 && lastFailure.advice && <small>What to do: {withCode(lastFailure.advice)}</small>}
					<small>
						<a href={`/console/calls${query({ upstream: name })}`}>See its calls</a>
					</small>
				</span>
			) : (
				<span class="quiet">none</span>
			),
	},
	{
		title: "State",
		kind: "end",
		cell: (upstream) => {
			const [word, tone] = stateOf(upstream);
			return <State tone={tone}>{word}</State>;
		},
	},
];

export const UpstreamsTable = () => {
	const { data, failure } = useAnswer("/admin/upstreams");
	return (
		<>
			<Failure failure={failure} />
			{data && (
				<Table
					heading
					label="Upstreams"
					columns={columns}
					rows={wires(data, "data").map(upstreamOf)}
					keyOf={({ name }) => name}
				/>
			)}
		</>
	);
};
