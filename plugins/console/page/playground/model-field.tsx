/** The model to ask, with those that the key may ask for as suggestions. */
import { useEffect, useId, useState } from "preact/hooks";
import { asWire, text, wires } from "../data/read.ts";

interface ModelFieldProps {
	readonly apiKey: string;
	readonly model: string;
	readonly change: (model: string) => void;
}

export const ModelField = ({ apiKey, model, change }: ModelFieldProps) => {
	const id = useId();
	const [names, setNames] = useState<readonly string[]>([]);
	useEffect(() => {
		// Those of another key would be no true answer for this one.
		setNames([]);
		if (!/^sk-[0-9A-Za-z]{49}$/.test(apiKey.trim())) return;
		const abort = new AbortController();
		const look = async () => {
			const response = await fetch("/v1/models", {
				credentials: "omit",
				headers: { authorization: `Bearer ${apiKey.trim()}` },
				signal: abort.signal,
			});
			if (response.ok) setNames(wires(asWire(await response.json()), "data").flatMap((one) => text(one, "id") ?? []));
		};
		// Suggestions only: whatever is wrong with the key is said when it is used.
		look().catch(() => undefined);
		return () => abort.abort();
	}, [apiKey]);
	return (
		<div class="field">
			<label for={id}>Model</label>
			<input
				id={id}
				list={`${id}-names`}
				value={model}
				required
				spellcheck={false}
				onInput={({ currentTarget }) => change(currentTarget.value)}
			/>
			<datalist id={`${id}-names`}>
				{names.map((name) => (
					<option key={name} value={name} />
				))}
			</datalist>
			<small>
				{names.length === 0
					? "One that the key may ask for."
					: `This key may ask for ${names.slice(0, 6).join(", ")}${names.length > 6 ? " and others" : ""}.`}
			</small>
		</div>
	);
};
