/** What is known of a call: how it ended, who asked, what it used and cost. */
import { query } from "../data/call.ts";
import { count, dollars, exact, seconds } from "../data/format.ts";
import { type CallRecord, isUntold } from "./call-record.ts";
import { Ending } from "./ending.tsx";

const used = ({ inputTokens, cachedTokens, outputTokens, reasoningTokens, estimated }: CallRecord): string =>
	[
		`${count(inputTokens)} in${cachedTokens > 0 ? ` (${count(cachedTokens)} from a cache)` : ""}`,
		`${count(outputTokens)} out${reasoningTokens > 0 ? ` (${count(reasoningTokens)} reasoning)` : ""}`,
		...(estimated ? ["estimated, the upstream did not count"] : []),
	].join(", ");

/** Who called without being known: by a key that is no token's, or by none. */
const stranger = ({ key, reason }: CallRecord): string => {
	if (key === undefined) return "nobody: no key was sent";
	return reason === "authentication" ? `a key that is no token's, ${key}` : `a key that could not be looked up, ${key}`;
};

const Who = ({ call }: { readonly call: CallRecord }) => (
	<dd>
		{call.token ? (
			<a href={`/console/tokens/${call.token}`}>{call.tokenName ?? call.token}</a>
		) : (
			(call.tokenName ?? stranger(call))
		)}
		{call.address && ` from ${call.address}`}
	</dd>
);

const Ended = ({ call }: { readonly call: CallRecord }) => (
	<dd>
		<Ending ending={call.ending} />
		{call.status !== undefined && ` with status ${call.status}`}
		{call.reason && <small>{call.reason}</small>}
		{call.repeats !== undefined && <small>{count(call.repeats)} times within a minute</small>}
		{call.stopped && <small>The answer did not end by itself: {call.stopped}</small>}
		{call.message && <small>The client was told: {call.message}</small>}
	</dd>
);

const Asked = ({ call }: { readonly call: CallRecord }) => (
	<>
		<dt>Asked in</dt>
		<dd>
			{call.protocol ?? "–"}
			{call.stream && ", streamed"}
		</dd>
		{/* What tasks make is no tokens. */}
		{call.protocol !== "tasks" && <dt>Used</dt>}
		{call.protocol !== "tasks" && <dd>{used(call)}</dd>}
		<dt>Took</dt>
		<dd>
			{call.durationMs === undefined ? "–" : seconds(call.durationMs)}
			{call.firstByteMs !== undefined && `, the first byte after ${seconds(call.firstByteMs)}`}
		</dd>
	</>
);

const Charged = ({ call: { cost, excess } }: { readonly call: CallRecord }) => (
	<dd>
		{cost === undefined ? "no price is known" : dollars(cost)}
		{excess > 0 && <small>{dollars(excess)} beyond what was reserved are not charged</small>}
	</dd>
);

export const CallFacts = ({ call }: { readonly call: CallRecord }) => (
	<dl class="facts">
		<dt>Ended</dt>
		<Ended call={call} />
		<dt>When</dt>
		<dd>
			{call.at === undefined ? "–" : exact(call.at)}
			{/* As logs have it. */}
			{call.at !== undefined && <small>{new Date(call.at).toISOString()}</small>}
		</dd>
		<dt>Who</dt>
		<Who call={call} />
		{!isUntold(call) && <Asked call={call} />}
		<dt>Charged</dt>
		<Charged call={call} />
		{call.tags.length > 0 && <dt>Tags</dt>}
		{call.tags.length > 0 && (
			<dd>
				{call.tags.map((tag) => (
					<a class="chip" key={tag} title="Calls with this tag" href={`/console/calls${query({ tag })}`}>
						{tag}
					</a>
				))}
			</dd>
		)}
		{call.dropped.length > 0 && <dt>Left behind</dt>}
		{call.dropped.length > 0 && (
			<dd>
				{call.dropped.map((path) => (
					<span class="chip" key={path}>
						{path}
					</span>
				))}
			</dd>
		)}
	</dl>
);
