/** There is no task: how one is made that this gateway takes on. */
import { text, type Wire } from "../data/read.ts";
import { quoted } from "../data/shell.ts";
import { Code } from "../parts/code.tsx";
import { Empty } from "../parts/empty.tsx";

interface NoTaskProps {
	/** That alone was asked for; empty for all. */
	readonly status: string;
	/** What the server says a first task may ask for. */
	readonly example: Wire;
}

const commandFor = (base: string, kind: string, model: string): string => {
	const body = { kind, model, prompt: "A portico at dawn", notifyHook: "https://example.org/hook" };
	return [
		`curl ${base}/v1/tasks \\`,
		'  -H "authorization: Bearer $PORTICO_KEY" \\',
		'  -H "content-type: application/json" \\',
		`  -d ${quoted(JSON.stringify(body))}`,
	].join("\n");
};

export const NoTask = ({ status, example }: NoTaskProps) => {
	const kind = text(example, "kind");
	const model = text(example, "model");
	if (status !== "")
		return (
			<Empty title="No task is in this state.">
				<p>
					<a href="/console/tasks">Show every task</a>
				</p>
			</Empty>
		);
	return (
		<Empty title="No task yet.">
			<p>A task is a job that runs for minutes.{kind && " This submits one:"}</p>
			{kind ? (
				<Code label="A task" text={commandFor(location.origin, kind, model ?? "MODEL")} />
			) : (
				<p>
					Its config names nothing that makes any: <code>use: image</code>, <code>video</code> or <code>music</code>.
				</p>
			)}
			{kind && model === undefined && (
				<p>
					Put a model that its upstreams do in the place of <code>MODEL</code>.
				</p>
			)}
		</Empty>
	);
};
