/** Says where a call would go and why, without making it. */
import { useId, useState } from "preact/hooks";
import { call } from "../data/call.ts";
import type { Wire } from "../data/read.ts";
import { useNamedTokens } from "../data/token-names.ts";
import { useAction } from "../data/use-action.ts";
import { Failure } from "../parts/failure.tsx";
import { DryRunAnswer } from "./dry-run-answer.tsx";

export const DryRun = ({ names }: { readonly names: readonly string[] }) => {
	const id = useId();
	const { tokens, more } = useNamedTokens();
	const [model, setModel] = useState("");
	const [token, setToken] = useState("");
	const [answer, setAnswer] = useState<Wire>();
	const { busy, failure, run } = useAction();
	const submit = (event: Event) => {
		event.preventDefault();
		run(async () =>
			setAnswer(await call("POST", "/admin/models/explain", { model: model.trim(), ...(token !== "" && { token }) })),
		);
	};
	return (
		<section class="panel" aria-labelledby={id}>
			<header>
				<h2 id={id}>Where would a call go?</h2>
			</header>
			<form class="bar" onSubmit={submit}>
				<input
					type="text"
					aria-label="Model"
					placeholder="Model"
					list={`${id}-names`}
					value={model}
					required
					onInput={({ currentTarget }) => setModel(currentTarget.value)}
				/>
				<datalist id={`${id}-names`}>
					{names.map((name) => (
						<option key={name} value={name} />
					))}
				</datalist>
				<select aria-label="Token" value={token} onChange={({ currentTarget }) => setToken(currentTarget.value)}>
					<option value="">Whatever token</option>
					{tokens.map((one) => (
						<option key={one.id} value={one.id}>
							{one.label}
						</option>
					))}
					{more && <option disabled>{more}</option>}
				</select>
				<button type="submit" disabled={busy}>
					Explain
				</button>
			</form>
			<Failure failure={failure} />
			{answer && <DryRunAnswer answer={answer} />}
		</section>
	);
};
