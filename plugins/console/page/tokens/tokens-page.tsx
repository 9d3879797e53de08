/** The list of tokens, the dialog that makes one, and the sheet of the one that the address names. */
import { useRef, useState } from "preact/hooks";
import { count } from "../data/format.ts";
import { useKeys } from "../data/keyboard.ts";
import { go, openRow, place, setQuery } from "../data/location.ts";
import type { Wire } from "../data/read.ts";
import { isAdmin } from "../data/session.ts";
import { Empty } from "../parts/empty.tsx";
import { Failure } from "../parts/failure.tsx";
import { Head } from "../parts/head.tsx";
import { Search } from "../parts/search.tsx";
import { Segments } from "../parts/segments.tsx";
import { Table } from "../parts/table.tsx";
import { CreateToken } from "./create-token.tsx";
import { FirstCall } from "./first-call.tsx";
import { KeyDialog } from "./key-dialog.tsx";
import { OwnBounds } from "./own-bounds.tsx";
import { type Group, stateOf } from "./token.ts";
import { tokenColumns } from "./token-columns.tsx";
import { TokenSheet } from "./token-sheet.tsx";
import { useTokens } from "./use-tokens.ts";

const groups: readonly { readonly value: "all" | Group; readonly text: string }[] = [
	{ value: "all", text: "All" },
	{ value: "working", text: "Working" },
	{ value: "soon", text: "Running out" },
	{ value: "stopped", text: "Stopped" },
];

export const TokensPage = () => {
	const [words, setWords] = useState("");
	const { known, tokens, found, more, looking, failure, reload } = useTokens(words);
	const group = place.value.query.get("state") ?? "all";
	const setGroup = (value: string) => setQuery({ state: value === "all" ? undefined : value });
	const [creating, setCreating] = useState(false);
	const [made, setMade] = useState<Wire>();
	const search = useRef<HTMLInputElement>(null);
	useKeys({ c: () => setCreating(true), "/": () => search.current?.focus() });

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
			<OwnBounds />
			{known && tokens.length === 0 && (
				<Empty title="No token yet.">
					<p>A token is what an application sends as its key. Create one, then this answers:</p>
					<FirstCall label="A first call" />
				</Empty>
			)}
			{tokens.length > 0 && (
				<>
					<div class="bar">
						<Search
							input={search}
							label="Find a token"
							placeholder={isAdmin() ? "Find by name, key or owner   /" : "Find by name or key   /"}
							value={words}
							change={setWords}
						/>
						<Segments
							label="State"
							value={group}
							choose={setGroup}
							options={groups.map(({ value, text }) => ({ value, text: `${text} ${inGroup(value).length}` }))}
						/>
					</div>
					{shown.length > 0 && (
						<Table label="Tokens" columns={tokenColumns(isAdmin())} rows={shown} keyOf={({ id }) => id} />
					)}
					{shown.length === 0 && !looking && (
						<Empty title="No token is like that.">
							{more && (
								<p>
									There are more than 1,000 tokens. All were looked at for how their name begins, the first 1,000 for
									the rest of it, the key, the owner and the state.
								</p>
							)}
							<button
								type="button"
								onClick={() => {
									setWords("");
									setGroup("all");
									search.current?.focus();
								}}
							>
								Show all tokens
							</button>
						</Empty>
					)}
					<div class="foot">
						<span>
							{count(shown.length)} of{" "}
							{more ? "more than 1,000: write how a name begins to find the others" : count(tokens.length)}
						</span>
						<span class="keys">
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
				<TokenSheet
					key={openId}
					id={openId}
					close={() => go(`/console/tokens${location.search}`)}
					changed={reload}
					rotated={setMade}
				/>
			)}
			{made && <KeyDialog answer={made} done={() => setMade(undefined)} />}
		</>
	);
};
