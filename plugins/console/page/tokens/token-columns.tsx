/** The columns of the list of tokens. */
import { Chips } from "../parts/chips.tsx";
import { Moment } from "../parts/moment.tsx";
import { State } from "../parts/state.tsx";
import type { Column } from "../parts/table.tsx";
import { QuotaBar } from "./quota-bar.tsx";
import { stateOf, type Token } from "./token.ts";

export const tokenColumns = (owners: boolean): readonly Column<Token>[] => [
	{
		title: "Token",
		kind: "lead",
		cell: (token) => (
			<a href={`/console/tokens/${token.id}${location.search}`} data-row>
				{token.name}
			</a>
		),
	},
	{ title: "Key", kind: "wide", cell: ({ preview }) => <code class="whole">{preview}</code> },
	...(owners
		? [
				{
					title: "Owner",
					kind: "wide" as const,
					cell: ({ owner }: Token) => owner ?? <span class="quiet whole">no person</span>,
				},
			]
		: []),
	{ title: "Used", kind: "bare", cell: (token) => <QuotaBar token={token} /> },
	{ title: "May ask for", kind: "wide", cell: ({ models }) => <Chips names={models} none="all" most={2} /> },
	{ title: "Last call", kind: "tight", cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} /> },
	{ title: "Ends", kind: "spare", cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
	{
		title: "State",
		kind: "end",
		cell: (token) => {
			const { tone, word } = stateOf(token, Date.now());
			return <State tone={tone}>{word}</State>;
		},
	},
];
