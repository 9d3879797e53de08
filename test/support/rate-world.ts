/**
 * A world in which several nodes keep one limit together over one database: time that the test moves, and one bucket of a
 * single node beside them that says what may pass. Nodes can die or stand still, the database can lose replies or be away.
 */
import type { Log } from "#core";
import type { Limits } from "../../plugins/rate-limit/meter.ts";
import { ShareSync } from "../../plugins/rate-limit/share-sync.ts";
import { SharedMeter } from "../../plugins/rate-limit/shared-meter.ts";
import { Statements } from "../../plugins/rate-limit/statements.ts";
import { rateTables } from "../../plugins/rate-limit/tables.ts";
import { MovingClock, settle } from "./moving-clock.ts";
import { SqliteDatabase, sqlTime } from "./sqlite-store.ts";

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, of: () => silent };

/** One database for many worlds: making tables costs more than a world. */
const database = new SqliteDatabase(rateTables("rate-limit"));

/** What one node with this limit would have left. */
class Oracle {
	level: number;
	private readonly limit: number;
	private at = 0;

	constructor(limit: number) {
		this.limit = limit;
		this.level = limit;
	}

	take(amount: number, now: number): void {
		this.level = Math.min(this.limit, this.level + ((now - this.at) * this.limit) / 60_000);
		this.at = now;
		this.level = Math.min(this.limit, this.level - amount);
	}
}

export type Fault = "lost_reply" | "failed" | "failed_after_commit";

interface RateNode {
	sync: ShareSync;
	meter: SharedMeter;
	readonly clock: MovingClock;
	readonly faults: Fault[];
	alive: boolean;
	/** It runs nothing until it goes on, and does not notice. */
	still: boolean;
	dead: { value: boolean };
	/** Whether its database is away. */
	readonly line: { cut: boolean };
	/** Calls that run here. */
	running: number;
	/** Questions to the database. */
	writes: () => number;
}

export class RateWorld {
	readonly nodes: RateNode[] = [];
	readonly limits: Limits;
	private readonly goOn: number | undefined;
	readonly requests: Oracle;
	passed = 0;
	refused = 0;
	/** Calls that could not be asked for. */
	unreachable = 0;
	/** The lowest that the single node's bucket ever had, and the most calls that ever ran at once. */
	lowest = Number.POSITIVE_INFINITY;
	mostAtOnce = 0;
	time = 1_000_000;
	readonly statements = new Statements(sqlTime(() => this.time));

	/** `goOn`: calls go on while the database is away, by each node's part. */
	constructor(limits: Limits, nodes: number, goOn = false) {
		this.limits = limits;
		this.goOn = goOn ? nodes : undefined;
		this.requests = new Oracle(limits.requestsPerMinute ?? Number.MAX_SAFE_INTEGER);
		for (let index = 0; index < nodes; index++) this.nodes.push(this.start(new MovingClock()));
	}

	private start(clock: MovingClock, faults: Fault[] = []): RateNode {
		const dead = { value: false };
		const line = { cut: false };
		const store = database.open({
			shared: true,
			faults: { next: () => (dead.value || line.cut ? "failed" : (faults.shift() ?? "none")) },
		});
		const sync = new ShareSync({ store, clock, log: silent, statements: this.statements });
		const meter = new SharedMeter({ sync, nodes: this.goOn }, "token t", this.limits, undefined);
		const alive = true;
		return { sync, meter, clock, faults, alive, still: false, dead, line, running: 0, writes: () => store.writes };
	}

	node(index: number): RateNode {
		const found = this.nodes[index % this.nodes.length];
		if (!found) throw new Error("a world without nodes");
		return found;
	}

	private get atOnce(): number {
		return this.nodes.reduce((sum, { alive, running }) => sum + (alive ? running : 0), 0);
	}

	/** A call as the policy lets it through: at once where the share suffices, else after the database was asked. Who stands still takes none. */
	async call(node: RateNode, tokens = 0): Promise<"passed" | "refused" | "unreachable" | "dead"> {
		const { meter, dead } = node;
		for (let tries = 0; tries < 10; tries++) {
			if (dead.value || node.still) return "dead";
			const obstacle = meter.obstacle(tokens);
			if (!obstacle) return this.pass(node, tokens);
			if (!obstacle.unsure) break;
			const asked = await meter.obtain(tokens).catch(() => "unreachable" as const);
			if (asked && meter.obstacle(tokens)) return dead.value ? "dead" : this.refuse(asked === "unreachable");
		}
		return dead.value ? "dead" : this.refuse(false);
	}

	private refuse(unreachable: boolean): "refused" | "unreachable" {
		if (unreachable) this.unreachable++;
		else this.refused++;
		return unreachable ? "unreachable" : "refused";
	}

	private pass(node: RateNode, tokens: number): "passed" {
		node.meter.begin(tokens);
		node.running++;
		this.passed++;
		this.requests.take(1, this.time);
		this.lowest = Math.min(this.lowest, this.requests.level);
		this.mostAtOnce = Math.max(this.mostAtOnce, this.atOnce);
		return "passed";
	}

	end(node: RateNode, sent: boolean, guessed = 0, used = 0): void {
		if (node.running === 0) return;
		node.running--;
		if (!sent) this.requests.take(-1, this.time);
		node.meter.end(guessed, used, sent);
	}

	/** The process is gone; another takes its place, and knows nothing. */
	kill(index: number): void {
		const at = index % this.nodes.length;
		const node = this.node(at);
		node.dead.value = true;
		node.alive = false;
		this.nodes[at] = this.start(node.clock);
	}

	/** Time passes for everybody; nodes that stand still do not notice until they go on. */
	async elapse(milliseconds: number): Promise<void> {
		await settle();
		for (let left = milliseconds; left > 0; ) {
			const awake = this.nodes.filter(({ still }) => !still);
			const next = Math.min(...awake.map(({ clock }) => clock.nextIn));
			const step = Math.min(left, Math.max(1, next));
			left -= step;
			this.time += step;
			for (const node of this.nodes) {
				if (node.still) node.clock.jump(step);
				else await node.clock.move(step);
			}
			await settle();
		}
	}

	rows(text: string): readonly Record<string, unknown>[] {
		return database.rows(text);
	}

	prune(): void {
		database.write(this.statements.prune());
	}

	/** Empties the database for the next world. */
	close(): void {
		for (const node of this.nodes) node.dead.value = true;
		for (const table of ["rate_shares", "rate_buckets"]) database.database.exec(`DELETE FROM ${table}`);
	}
}
