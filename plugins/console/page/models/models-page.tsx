/** What a name leads to and costs, how the upstreams do, and where a call would go. */
import { useRef, useState } from "preact/hooks";
import { count, short } from "../data/format.ts";
import { useKeys } from "../data/keyboard.ts";
import { wires } from "../data/read.ts";
import { useAnswer } from "../data/use-answer.ts";
import { Empty } from "../parts/empty.tsx";
import { Failure } from "../parts/failure.tsx";
import { Head } from "../parts/head.tsx";
import { Search } from "../parts/search.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { DryRun } from "./dry-run.tsx";
import { type Model, modelOf } from "./model.ts";
import { priceOf } from "./price.ts";
import { UpstreamsTable } from "./upstreams-table.tsx";

const columns: readonly Column<Model>[] = [
	{ title: "Name", kind: "lead", cell: ({ name }) => <code>{name}</code> },
	{
		title: "Leads to",
		cell: ({ targets }) => (
			<span>
				{targets.map((target, index) => (
					<div key={`${index} ${target.upstream}`}>
						<span class="quiet">{target.weight === undefined ? `${index + 1}. ` : `weight ${target.weight}: `}</span>
						{target.upstream}
						{target.model !== undefined && <code> {target.model}</code>}
					</div>
				))}
			</span>
		),
	},
	{
		title: "A million tokens",
		cell: ({ name, targets }) => (
			<span>
				{targets.map((target, index) => (
					<div key={`${index} ${target.upstream}`} class="whole">
						{priceOf(name, target)}
					</div>
				))}
			</span>
		),
	},
	{
		title: "Window",
		kind: "figure",
		cell: ({ contextWindow }) => (contextWindow === undefined ? "–" : short(contextWindow)),
	},
	{
		title: "Translation",
		kind: "wide",
		cell: ({ strict }) => <span class="whole">{strict ? "strict: refuses losses" : "says what is lost"}</span>,
	},
];

/** So many are seen at once. */
const few = 20;

export const ModelsPage = () => {
	const { data, failure } = useAnswer("/admin/models", false);
	const [words, setWords] = useState("");
	const search = useRef<HTMLInputElement>(null);
	useKeys({ "/": () => search.current?.focus() });
	const models = data ? wires(data, "data").map(modelOf) : [];
	const sought = words.trim().toLowerCase();
	const found = models.filter(({ name, targets }) =>
		[name, ...targets.flatMap(({ upstream, model = "" }) => [upstream, model])].some((one) =>
			one.toLowerCase().includes(sought),
		),
	);
	return (
		<>
			<Head title="Models">What each name leads to and costs, and how the upstreams behind it do.</Head>
			<div class="stack">
				<Failure failure={failure} />
				{data && models.length === 0 && (
					<Empty title="No model is configured.">
						<p>
							Models are named in the config file, under <code>router</code>: a name and the upstreams it leads to.
						</p>
					</Empty>
				)}
				{/* First what may need somebody: of names there may be hundreds. */}
				<UpstreamsTable />
				<DryRun names={models.map(({ name }) => name)} />
				{models.length > few && (
					<div class="bar">
						<Search
							input={search}
							label="Find a model"
							placeholder="Find by name or upstream   /"
							value={words}
							change={setWords}
						/>
					</div>
				)}
				{models.length > 0 && (
					<Table
						heading
						label="Names"
						columns={columns}
						rows={found}
						keyOf={({ name }) => name}
						below={found.length < models.length && `${count(found.length)} of ${count(models.length)}`}
					/>
				)}
			</div>
		</>
	);
};
