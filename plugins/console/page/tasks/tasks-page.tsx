/** Image, video and music jobs over all tokens. */
import { query } from "../data/call.ts";
import { go, openRow, place } from "../data/location.ts";
import { asWire, wires } from "../data/read.ts";
import { useTokenNames } from "../data/token-names.ts";
import { useAnswer } from "../data/use-answer.ts";
import { Head } from "../parts/head.tsx";
import { ListFailure } from "../parts/list-failure.tsx";
import { Moment } from "../parts/moment.tsx";
import { Older } from "../parts/older.tsx";
import { State } from "../parts/state.tsx";
import { StateFilter } from "../parts/state-filter.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { NoTask } from "./no-task.tsx";
import { statuses, type Task, taskOf } from "./task.ts";
import { TaskSheet } from "./task-sheet.tsx";
import { UnwellUpstreams } from "./unwell-upstreams.tsx";

const pageLength = 100;

/** So many letters of a prompt name its task. */
const most = 60;

/** By letters: half of one would be no letter. */
const beginning = (prompt: string): string => {
	const letters = [...prompt];
	return letters.length > most ? `${letters.slice(0, most).join("")}…` : prompt;
};

export const TasksPage = () => {
	const status = place.value.query.get("status") ?? "";
	const after = place.value.query.get("after") ?? undefined;
	const { data, failure } = useAnswer(`/admin/tasks${query({ status, after, limit: pageLength })}`);
	const tokenName = useTokenNames();
	const tasks = data ? wires(data, "data").map(taskOf) : [];
	const openId = openRow();
	const columns: readonly Column<Task>[] = [
		{
			title: "Task",
			kind: "lead",
			cell: ({ id, prompt, kind }) => (
				<>
					<a href={`/console/tasks/${encodeURIComponent(id)}${location.search}`} data-row>
						{beginning(prompt) || id}
					</a>
					<small>{kind}</small>
				</>
			),
		},
		{ title: "Model", cell: ({ model }) => <code>{model}</code> },
		{ title: "Token", cell: ({ token, tokenName: name }) => name ?? (token ? tokenName(token) : "–") },
		{ title: "Submitted", kind: "tight", cell: ({ submittedAt }) => <Moment at={submittedAt} /> },
		{ title: "Finished", kind: "wide", cell: ({ finishedAt }) => <Moment at={finishedAt} never="not yet" /> },
		{
			title: "State",
			kind: "end",
			cell: (task) => {
				const [word, tone] = statuses[task.status] ?? [task.status, "off"];
				return (
					<>
						<State tone={tone}>
							{task.status === "IN_PROGRESS" && task.progress ? `${word} ${task.progress} %` : word}
						</State>
						{task.code && <small>{task.code}</small>}
					</>
				);
			},
		},
	];
	return (
		<>
			<Head title="Tasks">
				Image, video and music jobs, newest first: what was asked, how far it is, what came of it.
			</Head>
			<UnwellUpstreams />
			<StateFilter states={statuses} />
			<ListFailure failure={failure} plugin="tasks" />
			{data && tasks.length === 0 && <NoTask status={status} example={asWire(data["example"])} />}
			{tasks.length > 0 && (
				<>
					<Table label="Tasks" columns={columns} rows={tasks} keyOf={({ id }) => id} />
					<Older
						shown={tasks.length}
						one="task"
						many="tasks"
						last={data?.["hasMore"] === true ? tasks.at(-1)?.id : undefined}
					/>
				</>
			)}
			{openId && <TaskSheet key={openId} id={openId} close={() => go(`/console/tasks${location.search}`)} />}
		</>
	);
};
