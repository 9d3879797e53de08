/** What is wrong with the server itself: since when, whom it harms, and what to do. Told for as long as it lasts. */
import { existsSync } from "node:fs";
import type { Clock } from "../contract/clock.ts";
import type { Job } from "../contract/job.ts";
import type { Log } from "../contract/log.ts";
import { hasUsedUpFiles } from "../runtime/open-files.ts";
import type { Outage } from "../store/fault.ts";
import { folderOfServer } from "../store/taken-over.ts";
import { CertificateState } from "./certificate.ts";
import { ClockWatch } from "./clock-watch.ts";
import { FailingParts } from "./failing-parts.ts";
import type { HearsOfJobs } from "./start-jobs.ts";
import type { Trouble } from "./trouble.ts";

/** With less room than this, in bytes, neither a journal nor a database grows. */
const leastFree = 256 * 1024;

const whomItHarms =
	"Calls under a quota (once what this node has leased is spent), new tasks and every change are refused with 503 until that is mended; no charge is lost.";

const isServerAway = /UNREACHABLE|SERVER|HRANA|CLIENT_CLOSED/;

const byCode: readonly (readonly [pattern: RegExp, message: string, advice: string])[] = [
	[
		/FULL/,
		"The disk of the database is full: it takes nothing more.",
		"Make room on the disk that holds the database; it goes on by itself.",
	],
	[
		// What a server says too whose disk is full.
		/IOERR/,
		"The disk of the database fails, or is full.",
		"Look at the disk that holds the database: whether it has room, and what the system's log tells of it. It goes on by itself.",
	],
	[
		/TOKEN_REFUSED/,
		"The database server does not take the token of database.authToken: it is over, or another by now.",
		"Give database.authToken the token that the server wants, and restart; or let the server take this one, and it goes on by itself.",
	],
	[
		/TABLES_GONE/,
		"The database server holds none of Portico's tables any more: it was started without its files, or another has its address.",
		"Start it on its own files again, and it goes on by itself. Where they are lost, put the newest copy in their place (docs/scaling.md).",
	],
	[
		isServerAway,
		"The database server does not answer.",
		"Start the database server, or the network between; it goes on by itself.",
	],
	[
		/BUSY|LOCKED/,
		"Another program has locked the database.",
		"Find the program that has the database file open (fuser FILE) and end it; it goes on by itself.",
	],
	[
		/DBMOVED/,
		"The database file was removed or replaced while this server has it open.",
		"Put back the very file that was moved away, and it goes on by itself. Else stop the server, put the last backup in its place (portico db restore FILE), and start it.",
	],
	[
		/READONLY|PERM|AUTH|CANTOPEN/,
		"The database may not be written.",
		"Give this server's user the right to write the database file and its folder.",
	],
	[
		/CORRUPT|NOTADB/,
		"The database file is damaged.",
		"Stop the server, and put the last backup in its place: portico db restore FILE.",
	],
];

/** Of the database server that Portico has started for a file: who reads this has not started one, and cannot. */
const ofOwnServer = (folder: string): readonly [message: string, advice: string] =>
	existsSync(folder)
		? [
				"The database server that belongs to Portico does not answer.",
				"It is started again when it ends; if it stays so, the log says why.",
			]
		: [
				`The folder ${folder}, which holds the database, was removed or moved away while this server uses it.`,
				"Put back the very folder that was moved away, and it goes on by itself. Else stop the server, put the last backup in its place (portico db restore FILE), and start it.",
			];

/** `folder`: of the database server that Portico has started, where it has. */
const ofDatabase = ({ since, code }: Outage, folder: string | undefined): Trouble => {
	if (folder !== undefined && isServerAway.test(code)) {
		const [message, advice] = ofOwnServer(folder);
		return { what: "database", since, message: `${message} (${code}) ${whomItHarms}`, advice };
	}
	const [, message = "The database does not work.", advice = "The log says what the database answered."] =
		byCode.find(([pattern]) => pattern.test(code)) ?? [];
	return { what: "database", since, message: `${message} (${code}) ${whomItHarms}`, advice };
};

const refused = [
	"The config file was refused",
	"Correct the file (portico check says whether it is good), then reload.",
] as const;

/** Nobody's mistake: a file that is good waits for the database. */
const notRead = [
	"The config file was to be read anew while the database did not work",
	"Once the database works again, reload.",
] as const;

export interface ReloadOutcome {
	/** Why what ran goes on; none where the file was taken. */
	readonly complaints: readonly string[];
	/** The file is good; it was the database, or the disk, that kept it from being taken. */
	readonly withoutDatabase?: true;
}

interface TroublesInput {
	readonly clock: Clock;
	readonly outage: () => Outage | undefined;
	/** How much room there is in the data folder, where that can be told. */
	readonly freeBytes: () => number | undefined;
	/** Of the database, as the config names it. */
	readonly url: string;
	/** Whether hardly any file or connection may be opened any more; the process is looked at unless a test says. */
	readonly usedUp?: () => boolean;
}

export class Troubles {
	private readonly input: TroublesInput;
	/** Where the server keeps its data that Portico has started for a file, if it has. */
	private readonly serverFolder: string | undefined;
	readonly certificate: CertificateState;
	readonly failing: FailingParts;
	readonly jobs: HearsOfJobs;
	private readonly clockWatch: ClockWatch;
	private config: Trouble | undefined;
	/** The file says what counts only from the next start on. */
	private unapplied: Trouble | undefined;
	/** Since when the disk of the data folder is full. */
	private fullSince: number | undefined;
	/** Since when hardly anything may be opened. */
	private usedUpSince: number | undefined;

	/** Looks by itself: since when a disk is full is not told by whoever asks first. */
	readonly job: Job = {
		name: "look at the disk, open files and the clock",
		schedule: "*/10 * * * * *",
		run: () => {
			this.ofDisk();
			this.ofOpenFiles();
			this.clockWatch.wasSet();
		},
	};

	constructor(input: TroublesInput) {
		this.input = input;
		this.serverFolder = folderOfServer(input.url);
		this.certificate = new CertificateState(input.clock);
		this.failing = new FailingParts(input.clock);
		this.clockWatch = new ClockWatch(input.clock);
		this.jobs = {
			jobFailed: (job, error) => this.failing.jobFailed(job, error),
			jobWorked: (job) => this.failing.jobWorked(job),
			knowsAge: () => this.clockWatch.wasSet() === undefined,
		};
	}

	/** What a reload said; a file that is not taken again has been so since it was the first time. */
	reloaded({ complaints, withoutDatabase }: ReloadOutcome): void {
		if (complaints.length === 0) {
			this.failing.forget();
			this.config = undefined;
			return;
		}
		const [what, advice] = withoutDatabase ? notRead : refused;
		const since = this.config?.since ?? this.input.clock.now();
		this.config = {
			what: "config",
			since,
			message: `${what}, and what ran goes on for all: ${complaints.join("; ")}`,
			advice,
		};
	}

	/** A reload took the file, but for these settings. */
	awaitRestart(settings: readonly string[], log: Log): void {
		for (const setting of settings) log.warn("a changed setting counts from the next restart on", { setting });
		const message = `The config file was changed in what counts from the next start on: ${settings.join(", ")}. Until then what was there at the start counts.`;
		if (settings.length === 0) this.unapplied = undefined;
		else if (this.unapplied?.message !== message) {
			const advice = "Restart the server, or change the file back and reload.";
			this.unapplied = { what: "config", since: this.input.clock.now(), message, advice };
		}
	}

	list(): readonly Trouble[] {
		const outage = this.input.outage();
		const database = outage ? ofDatabase(outage, this.serverFolder) : this.ofDisk();
		const certificate = this.certificate.trouble();
		const own = [database, this.ofOpenFiles(), this.config, this.unapplied, certificate, this.ofClock()];
		return [...own.filter((trouble) => trouble !== undefined), ...this.failing.list()];
	}

	/** Why calls cannot be answered, which no plugin and no upstream is the cause of. */
	unready(): "database" | "disk" | undefined {
		if (this.input.outage()) return "database";
		return this.ofDisk() && "disk";
	}

	/** The database is on no disk of this node, so that others may take what this one cannot write down. */
	get sharesDatabase(): boolean {
		return this.serverFolder === undefined;
	}

	private ofClock(): Trouble | undefined {
		const set = this.clockWatch.wasSet();
		if (set === undefined) return undefined;
		const { byMs, since } = set;
		const days = Math.round(Math.abs(byMs) / 86_400_000);
		const message = `The clock of this machine went ${byMs > 0 ? "ahead" : "back"} by ${days} ${days === 1 ? "day" : "days"} at once: it was set, or the machine slept. For a day from then on nothing is removed for its age.`;
		const advice = "Look whether the machine's time is right; where it is, what is old goes by itself after that day.";
		return { what: "clock", since, message, advice };
	}

	private ofOpenFiles(): Trouble | undefined {
		const { usedUp = hasUsedUpFiles } = this.input;
		if (!usedUp()) {
			this.usedUpSince = undefined;
			return undefined;
		}
		this.usedUpSince ??= this.input.clock.now();
		const message =
			"This process has as many files and connections open as it may, or nearly. Clients that connect wait, and calls for which no connection can be opened are refused with 502.";
		const advice =
			"Take load from it, or raise its limit of open files (LimitNOFILE of a service, ulimit -n) and start it again; it goes on by itself once there are fewer.";
		return { what: "open files", since: this.usedUpSince, message, advice };
	}

	/** Small writes may find room in the database's own files while the journal beside it cannot grow. */
	private ofDisk(): Trouble | undefined {
		const free = this.input.freeBytes();
		if (free === undefined || free >= leastFree) {
			this.fullSince = undefined;
			return undefined;
		}
		this.fullSince ??= this.input.clock.now();
		const message =
			"The disk of the data folder is full. Calls under a quota, the first ones of other tokens, new tasks and every change are refused with 503 until that is mended; no charge is lost.";
		const advice = "Make room on the disk that holds the data folder; it goes on by itself.";
		return { what: "disk", since: this.fullSince, message, advice };
	}
}
