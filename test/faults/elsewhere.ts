/** Faults whose test stands in another place. */

interface ElsewhereFault {
	readonly name: string;
	readonly promised: string;
	/** The file of the test. */
	readonly where: string;
}

export const elsewhere: readonly ElsewhereFault[] = [
	{
		name: "process: kill -9 in the middle of calls",
		promised: "the next start is clean",
		where: "test/process/process.long.ts",
	},
	{
		name: "process: kill -9 around settling, any number of nodes",
		promised: "no overspend",
		where: "test/chaos/run.ts",
	},
	{
		name: "process: SIGTERM with 500 open streams",
		promised: "each ends in its protocol, all in the ledger, exit 0",
		where: "test/process/process.long.ts",
	},
	{
		name: "process: more than 256 requests in flight",
		promised: "all answered",
		where: "test/process/process.long.ts",
	},
	{ name: "process: SIGSTOP longer than a lease lasts", promised: "no overspend", where: "test/chaos/run.ts" },
	{
		name: "process: out of memory",
		promised: "nothing acknowledged is lost, the next start is clean",
		where: "test/faults/out-of-memory.long.ts",
	},
	{
		name: "process: event loop held up for 5 s",
		promised: "leases end on time",
		where: "plugins/quota/accounts.model.long.ts",
	},
	{
		name: "database: away, answers lost, silent",
		promised: "503 under a quota, red health, recovery without a hand",
		where: "test/gateway/database-gone.long.ts",
	},
	{
		name: "database: BUSY by a second process",
		promised: "retried; nothing acknowledged is lost",
		where: "core/store/store.test.ts",
	},
	{
		name: "database: disk full",
		promised: "503 under a quota, red health, recovery without a hand",
		where: "test/gateway/database-gone.long.ts",
	},
	{
		name: "database: read-only",
		promised: "503 under a quota, red health, recovery without a hand",
		where: "test/gateway/database-gone.long.ts",
	},
	{
		name: "database: the last frame of the write-ahead log spoilt",
		promised: "goes on from the one before, the books agree",
		where: "test/faults/damaged-database.test.ts",
	},
	{
		name: "database: the file spoilt, before a start and while it is used",
		promised: "not begun with; 503, red health, the log says why",
		where: "test/faults/damaged-database.test.ts",
	},
	{
		name: "client: slow headers, all at once or dripping; nothing said at all",
		promised: "let go after about 12 s",
		where: "test/gateway/idle-connections.long.ts",
	},
	{
		name: "client: half-open connection",
		promised: "let go after idleSeconds, or when the system gives it up",
		where: "test/faults/half-open.long.ts",
	},
	{
		name: "upstream: half-open connection that was kept for the next call",
		promised: "504 after firstByteSeconds; the next call is answered",
		where: "test/faults/half-open.long.ts",
	},
	{
		name: "upstream: a certificate that is expired, another host's, another authority's or its own",
		promised: "502, the key is not sent, the log says why",
		where: "test/faults/certificates.test.ts",
	},
	{
		name: "clock: the wall clock jumps",
		promised: "leases and limits go by the monotonic clock",
		where: "plugins/quota/accounts.model.long.ts",
	},
	{
		name: "callback receiver: every wrong answer",
		promised: "failure, 10 s, 30 s, 60 s, dead",
		where: "plugins/webhooks/delivered.long.ts",
	},
	{
		name: "callback receiver: its address becomes an inner one",
		promised: "refused at the attempt",
		where: "plugins/webhooks/address.test.ts",
	},
	{
		name: "client: keeps a connection open after an answer, and says nothing more",
		promised: "closed after 120 s",
		where: "test/gateway/idle-connections.long.ts",
	},
];
