/** The few figures above everything else. */
import type { ComponentChildren } from "preact";

interface Figure {
	readonly name: string;
	readonly value: string;
	readonly note: ComponentChildren;
}

export const Figures = ({ figures }: { readonly figures: readonly Figure[] }) => (
	<dl class="figures">
		{figures.map(({ name, value, note }) => (
			<div key={name}>
				<dt>{name}</dt>
				<dd class="large" style={{ "--letters": value.length }}>
					{value}
				</dd>
				<dd>{note}</dd>
			</div>
		))}
	</dl>
);
