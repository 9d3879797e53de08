/** The token setting `explain`: its answers tell in headers where they came from, in which attempt, and what they cost. */
import { type Permit, type Policy, t } from "#core";

const explaining: Permit = { explains: true };

export const explainPolicy = (name: string): Policy<boolean> => ({
	name: `${name}.explain`,
	setting: {
		key: "explain",
		schema: t.Boolean({
			description: "Answers tell in headers which target they came from, in which attempt, and what they cost.",
		}),
		compile: (value) => value === true,
	},
	check: (_call, explains) => (explains === true ? explaining : undefined),
});
