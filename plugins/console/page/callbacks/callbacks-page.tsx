/** Callbacks over all tokens: what was sent, what came of it, and sending again. */
import { useState } from "preact/hooks";
import { call, query } from "../data/call.ts";
import { count } from "../data/format.ts";
import { go, openRow, place } from "../data/location.ts";
import { number, wires } from "../data/read.ts";
import { isAdmin } from "../data/session.ts";
import { useAnswer } from "../data/use-answer.ts";
import { Empty } from "../parts/empty.tsx";
import { Head } from "../parts/head.tsx";
import { ListFailure } from "../parts/list-failure.tsx";
import { Moment } from "../parts/moment.tsx";
import { Older } from "../parts/older.tsx";
import { Question } from "../parts/question.tsx";
import { StateFilter } from "../parts/state-filter.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { isAlert, Subject, useAlerts } from "./about.tsx";
import { type Delivery, deliveryOf, lastOutcome } from "./delivery.ts";
import { DeliverySheet } from "./delivery-sheet.tsx";
import { DeliveryState, deliveryStates } from "./delivery-state.tsx";
import { TestCallback } from "./test-callback.tsx";

const columnsWith = (alerts: ReadonlyMap<string, string>): readonly Column<Delivery>[] => [
	{
		title: "Callback",
		kind: "lead",
		cell: ({ id, event, url }) => (
			<>
				<a href={`/console/callbacks/${encodeURIComponent(id)}${location.search}`} data-row>
					{event}
				</a>
				<small>{url}</small>
			</>
		),
	},
	{ title: "About", kind: "bare", cell: (delivery) => <Subject delivery={delivery} alerts={alerts} /> },
	{ title: "Made", kind: "tight", cell: ({ createdAt }) => <Moment at={createdAt} /> },
	{ title: "Tries", kind: "figure", cell: ({ attempts }) => count(attempts.length) },
	{ title: "Last", cell: (delivery) => lastOutcome(delivery) },
	{ title: "State", kind: "end", cell: (delivery) => <DeliveryState delivery={delivery} /> },
];

const pageLength = 100;

export const CallbacksPage = () => {
	const status = place.value.query.get("status") ?? "";
	const after = place.value.query.get("after") ?? undefined;
	const { data, failure, reload } = useAnswer(`/admin/deliveries${query({ status, after, limit: pageLength })}`);
	const dead = useAnswer("/admin/deliveries?status=dead&limit=100").data;
	const [testing, setTesting] = useState(false);
	const [sent, setSent] = useState<number>();
	const [asking, setAsking] = useState(false);
	const deliveries = data ? wires(data, "data").map(deliveryOf) : [];
	const alerts = useAlerts(deliveries.some(isAlert));
	const deadCount = dead ? wires(dead, "data").length : 0;
	const openId = openRow();
	const redeliverAll = async (): Promise<void> => {
		setSent(number(await call("POST", "/admin/deliveries/redeliver"), "count"));
		reload();
	};
	return (
		<>
			<Head
				title="Callbacks"
				acts={
					<>
						<button type="button" onClick={() => setTesting(true)}>
							Test an address
						</button>
						<button type="button" disabled={deadCount === 0} onClick={() => setAsking(true)}>
							Send all dead again
						</button>
					</>
				}
			>
				Messages that tell other servers of their tasks{isAdmin() && ", and operators of alerts"}. After four tries a
				callback is dead, and kept to be sent again.
			</Head>
			<StateFilter states={deliveryStates} />
			<ListFailure failure={failure} plugin="webhooks" />
			{sent !== undefined && (
				<div class="notice" role="status">
					{count(sent)} {sent === 1 ? "callback is" : "callbacks are"} being sent again.
				</div>
			)}
			{data && deliveries.length === 0 && (
				<Empty title={status === "" ? "No callback yet." : "No callback is in this state."}>
					<p>
						Callbacks appear when a task is submitted with <code>notifyHook</code>, an address that is told of every
						change of its state.
					</p>
				</Empty>
			)}
			{deliveries.length > 0 && (
				<>
					<Table label="Callbacks" columns={columnsWith(alerts)} rows={deliveries} keyOf={({ id }) => id} />
					<Older
						shown={deliveries.length}
						one="callback"
						many="callbacks"
						last={data?.["hasMore"] === true ? deliveries.at(-1)?.id : undefined}
					/>
				</>
			)}
			{asking && (
				<Question
					title="Send all dead callbacks again?"
					yes={`Send ${deadCount > 99 ? "all" : count(deadCount)} again`}
					act={redeliverAll}
					close={() => setAsking(false)}
				>
					<p>
						Each goes to its address once more, those of weeks ago too. What was sent cannot be taken back; receivers
						tell repeats by <code>webhook-id</code>.
					</p>
				</Question>
			)}
			{testing && <TestCallback close={() => setTesting(false)} />}
			{openId && (
				<DeliverySheet
					key={openId}
					id={openId}
					close={() => go(`/console/callbacks${location.search}`)}
					changed={reload}
				/>
			)}
		</>
	);
};
