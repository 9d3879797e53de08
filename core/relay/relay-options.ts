/** What the relay is made of. */
import type { Clock } from "../contract/clock.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { Guard } from "../contract/guard.ts";
import type { Log } from "../contract/log.ts";
import type { Costs } from "../contract/outcome.ts";
import type { Protocol } from "../contract/protocol.ts";
import type { Router } from "../contract/router.ts";
import type { OpenStreamBody } from "../wire/stream-body.ts";
import type { StreamLimits } from "./answer/stream-watch.ts";
import type { Recording } from "./call/record.ts";
import type { Refusals } from "./call/refusals.ts";
import type { ConcurrencyLimit } from "./concurrency-limit.ts";
import type { SecondLook } from "./identify/second-look.ts";
import type { RulesOf } from "./policies/token-rules.ts";

export interface RelayOptions {
	readonly protocols: readonly Protocol[];
	readonly endpoints: readonly Endpoint[];
	readonly rulesOf: RulesOf;
	readonly secondLook: SecondLook;
	readonly guards: readonly Guard[];
	readonly recording: Recording;
	readonly refusals: Refusals;
	readonly costs?: Costs | undefined;
	readonly router: Router;
	readonly clock: Clock;
	readonly log: Log;
	readonly bodyLimitBytes: number;
	/** How long a body may take to arrive. */
	readonly bodyMs: number;
	readonly concurrency: ConcurrencyLimit;
	readonly limits: StreamLimits;
	readonly openStreamBody: OpenStreamBody;
	/** Called when no call is running, after many bytes of calls. */
	collectGarbage(): void;
}
