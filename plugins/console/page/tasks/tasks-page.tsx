/** Image, video and music jobs over all tokens. */
import { query } from "../data/call.ts";
import { go, openRow, place } from "../data/location.ts";
import { wires } from "../data/read.ts";
import { useTokenNames } from "../data/token-names.ts";
import { useAnswer } from "../data/use-answer.ts";
import { Code } from "../parts/code.tsx";
import { Empty } from "../parts/empty.tsx";
import { Head } from "../parts/head.tsx";
import { ListFailure } from "../parts/list-failure.tsx";
import { Moment } from "../parts/moment.tsx";
import { Older } from "../parts/older.tsx";
import { State } from "../parts/state.tsx";
import { StateFilter } from "../parts/state-filter.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { statuses, type Task, taskOf } from "./task.ts";
import { TaskSheet } from "./task-sheet.tsx";
import { UnwellUpstreams } from "./unwell-upstreams.tsx";

const example = (base: string): string =>
	[
		`curl ${base}/v1/tasks \\`,
		'  -H "authorization: Bearer $PORTICO_KEY" \\',
		'  -H "content-type: application/json" \\',
		`  -d '{"kind":"image","model":"demo-image","prompt":"A portico at dawn","notifyHook":"https://example.org/hook"}'`,
	].join("\n");

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
					<State tone={tone}>
						{task.status === "IN_PROGRESS" && task.progress ? `${word} ${task.progress} %` : word}
					</State>
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
			{data && tasks.length === 0 && (
				<Empty title={status === "" ? "No task yet." : "No task is in this state."}>
					<p>A task is a job that runs for minutes. This submits one:</p>
					<Code label="A task" text={example(location.origin)} />
				</Empty>
			)}
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
