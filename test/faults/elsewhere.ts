/** Faults whose test stands in another place, and those that no test makes, with the reason. */

export interface ElsewhereFault {
	readonly name: string;
	readonly promised: string;
	/** The file of the test; without one the fault is not tested. */
	readonly where?: string;
	/** Why it is not tested. */
	readonly why?: string;
}

export const elsewhere: readonly ElsewhereFault[] = [
	{
		name: "process: kill -9 in the middle of calls",
		promised: "the next start is clean",
		where: "test/process/process.test.ts",
	},
	{
		name: "process: kill -9 around settling, any number of nodes",
		promised: "no overspend",
		where: "test/chaos/run.ts",
	},
	{
		name: "process: SIGTERM with 500 open streams",
		promised: "each ends in its protocol, all in the ledger, exit 0",
		where: "test/process/process.test.ts",
	},
	{
		name: "process: more than 256 requests in flight",
		promised: "all answered",
		where: "test/process/process.test.ts",
	},
	{ name: "process: SIGSTOP longer than a lease lasts", promised: "no overspend", where: "test/chaos/run.ts" },
	{
		name: "process: out of memory",
		promised: "as kill -9",
		why: "needs a control group, which a test may not make everywhere; kill -9 is the same to the next start",
	},
	{
		name: "process: event loop held up for 5 s",
		promised: "leases end on time",
		where: "plugins/quota/accounts.model.test.ts",
	},
	{
		name: "database: away, answers lost, silent",
		promised: "503 under a quota, red health, recovery without a hand",
		where: "test/gateway/database-gone.test.ts",
	},
	{
		name: "database: BUSY by a second process",
		promised: "retried; nothing acknowledged is lost",
		where: "foundation/store/store.test.ts",
	},
	{
		name: "database: disk full",
		promised: "503 under a quota, red health, recovery without a hand",
		where: "test/gateway/database-gone.test.ts",
	},
	{
		name: "database: read-only remount, a corrupt last frame of the log",
		promised: "red health",
		why: "needs a mount of its own; the codes take the path of a full disk",
	},
	{
		name: "client: slow headers",
		promised: "cut after about 12 s",
		why: "the runtime's own rule, not ours; a test would wait for it",
	},
	{
		name: "client: half-open connection",
		promised: "let go after idleSeconds",
		why: "needs packets to be dropped; a client that does not read is the same to Portico",
	},
	{
		name: "upstream: a bad or expired certificate",
		promised: "502",
		why: "needs a certificate in the repository; the runtime refuses it as it refuses the handshake that is tested",
	},
	{
		name: "clock: the wall clock jumps",
		promised: "leases and limits go by the monotonic clock",
		where: "plugins/quota/accounts.model.test.ts",
	},
	{
		name: "callback receiver: every wrong answer",
		promised: "failure, 10 s, 30 s, 60 s, dead",
		where: "plugins/webhooks/edge-cases.test.ts",
	},
	{
		name: "callback receiver: its address becomes an inner one",
		promised: "refused at the attempt",
		where: "plugins/webhooks/address.test.ts",
	},
	{
		name: "client: keeps a connection open after a stream, and says nothing more",
		promised: "closed after a while",
		why: "not done: the runtime takes no new limit once a stream has ended (after an answer in one piece it does: 120 s)",
	},
];
