/** The list of tokens, the dialog that makes one, and the sheet of the one that the address names. */
import { useRef, useState } from "preact/hooks";
import { useKeys } from "../data/keyboard.ts";
import { go, openRow } from "../data/location.ts";
import { usePersonNames } from "../data/person-names.ts";
import { type Wire, wires } from "../data/read.ts";
import { isAdmin } from "../data/session.ts";
import { useAnswer } from "../data/use-answer.ts";
import { Code } from "../parts/code.tsx";
import { Empty } from "../parts/empty.tsx";
import { Failure } from "../parts/failure.tsx";
import { Head } from "../parts/head.tsx";
import { Segments } from "../parts/segments.tsx";
import { Table } from "../parts/table.tsx";
import { CreateToken } from "./create-token.tsx";
import { KeyDialog } from "./key-dialog.tsx";
import { curlOf } from "./snippets.ts";
import { type Group, stateOf, type Token, tokenOf } from "./token.ts";
import { tokenColumns } from "./token-columns.tsx";
import { TokenSheet } from "./token-sheet.tsx";

const groups: readonly { readonly value: "all" | Group; readonly text: string }[] = [
	{ value: "all", text: "All" },
	{ value: "working", text: "Working" },
	{ value: "soon", text: "Look at" },
	{ value: "stopped", text: "Stopped" },
];

const matches = (token: Token, words: string): boolean =>
	[token.name, token.preview, token.owner ?? "", token.id].some((one) => one.toLowerCase().includes(words));

export const TokensPage = () => {
	const { data, failure, reload } = useAnswer("/admin/tokens?limit=1000");
	const [words, setWords] = useState("");
	const [group, setGroup] = useState<string>("all");
	const [creating, setCreating] = useState(false);
	const [made, setMade] = useState<Wire>();
	const search = useRef<HTMLInputElement>(null);
	useKeys({ c: () => setCreating(true), "/": () => search.current?.focus() });

	const personName = usePersonNames();
	const tokens = (data ? wires(data, "data") : [])
		.map(tokenOf)
		.map((token) => (token.owner === undefined ? token : { ...token, owner: personName(token.owner) }))
		.sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0) || a.name.localeCompare(b.name));
	const found = tokens.filter((token) => matches(token, words.trim().toLowerCase()));
	const inGroup = (value: string) =>
		value === "all" ? found : found.filter((token) => stateOf(token, Date.now()).group === value);
	const shown = inGroup(group);
	const openId = openRow();

	return (
		<>
			<Head
				title="Tokens"
				acts={
					<button type="button" class="first" onClick={() => setCreating(true)}>
						Create token{" "}
						<span class="keycap" aria-hidden="true">
							C
						</span>
					</button>
				}
			>
				Keys for applications and people. Each is shown once, when it is made.
			</Head>
			<Failure failure={failure} />
			{data && tokens.length === 0 && (
				<Empty title="No token yet.">
					<p>A token is what an application sends as its key. Create one, then this answers:</p>
					<Code label="A first call" text={curlOf(location.origin, "demo")} />
				</Empty>
			)}
			{tokens.length > 0 && (
				<>
					<div class="bar">
						<input
							ref={search}
							type="search"
							aria-label="Find a token"
							placeholder="Find by name, key or owner   /"
							value={words}
							onInput={({ currentTarget }) => setWords(currentTarget.value)}
						/>
						<Segments
							label="State"
							value={group}
							choose={setGroup}
							options={groups.map(({ value, text }) => ({ value, text: `${text} ${inGroup(value).length}` }))}
						/>
					</div>
					{shown.length > 0 ? (
						<Table label="Tokens" columns={tokenColumns(isAdmin())} rows={shown} keyOf={({ id }) => id} />
					) : (
						<Empty title="No token is like that.">
							<button
								type="button"
								onClick={() => {
									setWords("");
									setGroup("all");
								}}
							>
								Show all tokens
							</button>
						</Empty>
					)}
					<div class="foot">
						<span>
							{shown.length} of {data?.["hasMore"] === true ? `the first ${tokens.length}` : tokens.length}
						</span>
						<span>
							<kbd>J</kbd> <kbd>K</kbd> move · <kbd>Enter</kbd> open · <kbd>C</kbd> create · <kbd>?</kbd> all keys
						</span>
					</div>
				</>
			)}
			{creating && (
				<CreateToken
					close={() => setCreating(false)}
					created={(answer) => {
						setCreating(false);
						setMade(answer);
						reload();
					}}
				/>
			)}
			{openId && (
				<TokenSheet key={openId} id={openId} close={() => go("/console/tokens")} changed={reload} rotated={setMade} />
			)}
			{made && <KeyDialog answer={made} done={() => setMade(undefined)} />}
		</>
	);
};
