/** What is known of a token. */
import { dollars, exact } from "../data/format.ts";
import { usePersons } from "../data/person-names.ts";
import { isAdmin } from "../data/session.ts";
import { Chips } from "../parts/chips.tsx";
import { Moment } from "../parts/moment.tsx";
import { State } from "../parts/state.tsx";
import { QuotaBar } from "./quota-bar.tsx";
import { SettingValue } from "./setting-value.tsx";
import { inWords } from "./settings.ts";
import { stateOf, type Token, withOwner } from "./token.ts";

/** Settings that have a line of their own. */
const told = new Set(["quota", "budgets", "models", "ips", "expiresAt"]);

export const TokenFacts = ({ token }: { readonly token: Token }) => {
	const owned = withOwner(token, usePersons());
	const { tone, word } = stateOf(owned, Date.now());
	const others = Object.entries(token.settings).filter(([key]) => !told.has(key));
	return (
		<div class="inside">
			<QuotaBar token={token} />
			<dl class="facts">
				<dt>State</dt>
				<dd>
					<State tone={tone}>{word}</State>
					{token.unenforced.length > 0 && (
						<>
							. No plugin in the config enforces <code>{token.unenforced.join(", ")}</code>.
						</>
					)}
				</dd>
				<dt>Owner</dt>
				<dd>
					{isAdmin() && token.owner !== undefined ? (
						<a href={`/console/people/${encodeURIComponent(token.owner)}`}>{owned.owner}</a>
					) : (
						(owned.owner ?? "no person")
					)}
				</dd>
				<dt>Models</dt>
				<dd>
					<Chips names={token.models} none="all" most={20} />
				</dd>
				<dt>Addresses</dt>
				<dd>
					<Chips names={token.ips} none="any" most={20} />
				</dd>
				<dt>Ends</dt>
				<dd>{token.expiresAt === undefined ? "never" : exact(token.expiresAt)}</dd>
				{others.map(([key, value]) => (
					<>
						<dt>{inWords(key)}</dt>
						<dd>
							<SettingValue value={value} />
						</dd>
					</>
				))}
				{token.budgets.map(({ per, amount, used, resetsAt, shared }) => (
					<>
						<dt>Each {per}</dt>
						<dd>
							{shared && "With the owner's other tokens: "}
							{dollars(Math.max(0, amount - used))} of {dollars(amount)} left, anew <Moment at={resetsAt} />
						</dd>
					</>
				))}
				<dt>Last call</dt>
				<dd>
					<Moment at={token.lastUsedAt} />
				</dd>
				{token.previousUntil !== undefined && token.previousUntil > Date.now() && (
					<>
						<dt>Key before</dt>
						<dd>good until {exact(token.previousUntil)}; rotate once more to refuse it at once</dd>
					</>
				)}
				<dt>Created</dt>
				<dd>
					<Moment at={token.createdAt} />
				</dd>
				<dt>Id</dt>
				<dd>
					<code>{token.id}</code>
				</dd>
			</dl>
			<p>
				<a href={`/console/calls?token=${encodeURIComponent(token.id)}`}>See its calls</a>
			</p>
		</div>
	);
};
