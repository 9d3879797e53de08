/** Finds calls, and explains the one that the address names. */
import { useRef } from "preact/hooks";
import { query } from "../data/call.ts";
import { count, dollars, exact, seconds, short } from "../data/format.ts";
import { useKeys } from "../data/keyboard.ts";
import { go, openRow, place } from "../data/location.ts";
import { text, wires } from "../data/read.ts";
import { useAnswer } from "../data/use-answer.ts";
import { Empty } from "../parts/empty.tsx";
import { Head } from "../parts/head.tsx";
import { ListFailure } from "../parts/list-failure.tsx";
import { Older } from "../parts/older.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { FirstCall } from "../tokens/first-call.tsx";
import { type CallRecord, callOf } from "./call-record.ts";
import { CallSheet } from "./call-sheet.tsx";
import { Ending } from "./ending.tsx";
import { Filters } from "./filters.tsx";
import { spanStart } from "./spans.ts";

/** What tasks make is no tokens. */
const tokens = ({ protocol }: CallRecord, amount: number): string => (protocol === "tasks" ? "–" : short(amount));

const columns: readonly Column<CallRecord>[] = [
	{
		title: "Call",
		kind: "lead",
		cell: ({ id, at }) => (
			<a href={`/console/calls/${encodeURIComponent(id)}${location.search}`} class="whole" data-row title={id}>
				{at === undefined ? id : exact(at)}
			</a>
		),
	},
	{
		title: "Token",
		cell: ({ token, tokenName, key, address }) =>
			tokenName ??
			token ?? (
				<>
					<span class="quiet">{key === undefined ? "no key" : `unknown key ${key}`}</span>
					{address && <small>from {address}</small>}
				</>
			),
	},
	{
		title: "Model",
		cell: ({ model, upstream }) => (
			<>
				<code>{model ?? "–"}</code>
				{upstream && <small>at {upstream}</small>}
			</>
		),
	},
	{ title: "In", kind: "figure", cell: (call) => tokens(call, call.inputTokens) },
	{ title: "Out", kind: "figure", cell: (call) => tokens(call, call.outputTokens) },
	{ title: "Took", kind: "figure", cell: ({ durationMs }) => (durationMs === undefined ? "–" : seconds(durationMs)) },
	{ title: "Charged", kind: "figure", cell: ({ cost }) => (cost === undefined ? "–" : dollars(cost)) },
	{
		title: "Ending",
		kind: "end",
		cell: ({ ending, reason, repeats }) => (
			<>
				<Ending ending={ending} />
				{reason && (
					<small>
						{reason}
						{repeats !== undefined && ` ×${count(repeats)}`}
					</small>
				)}
			</>
		),
	},
];

const pageLength = 50;

export const CallsPage = () => {
	const search = useRef<HTMLInputElement>(null);
	useKeys({ "/": () => search.current?.focus() });
	const words = place.value.query;
	const given = (name: string) => words.get(name) ?? undefined;
	const span = given("span");
	const pathFrom = (from: string | undefined): string =>
		`/admin/calls${query({
			token: given("token"),
			model: given("model"),
			upstream: given("upstream"),
			owner: given("owner"),
			tag: given("tag"),
			without: given("without"),
			ending: given("ending"),
			after: given("after"),
			from,
			to: span === undefined ? given("to") : undefined,
			limit: pageLength,
		})}`;
	const { data, failure } = useAnswer(pathFrom(span ?? given("from")), true, () =>
		pathFrom(span === undefined ? given("from") : spanStart(span, Date.now())),
	);
	const calls = data ? wires(data, "data").map(callOf) : [];
	const filtered = [...words.keys()].length > 0;
	const openId = openRow();
	// By its own id: the one that its row shows may be the client's.
	const last = data?.["hasMore"] === true ? text(wires(data, "data").at(-1) ?? {}, "id") : undefined;
	return (
		<>
			<Head title="Calls">
				Every call, refused ones included, newest first. No word of what was asked or answered is kept.
			</Head>
			<Filters search={search} tokenName={calls.find(({ token }) => token === given("token"))?.tokenName} />
			<ListFailure failure={failure} plugin="ledger" />
			{data &&
				calls.length === 0 &&
				(filtered ? (
					<Empty title="No call is like that.">
						<p>
							<a href="/console/calls">Show every call</a>
						</p>
					</Empty>
				) : (
					<Empty title="No call yet.">
						<p>A call appears here a moment after it ends. This makes one:</p>
						<FirstCall label="A call" />
					</Empty>
				))}
			{calls.length > 0 && (
				<>
					<Table label="Calls" columns={columns} rows={calls} keyOf={({ id }) => id} />
					<Older shown={calls.length} one="call" many="calls" last={last} />
				</>
			)}
			{openId && <CallSheet key={openId} id={openId} close={() => go(`/console/calls${location.search}`)} />}
		</>
	);
};
