/** Backups of the database: by hand to a file or a folder, and by the schedule that the config has. */
import { existsSync, mkdirSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { type Static, Type as t } from "@sinclair/typebox";
import type { Config } from "../config/read.ts";
import type { Clock } from "../contract/clock.ts";
import { deny, Fault } from "../contract/fault.ts";
import type { Job } from "../contract/job.ts";
import type { Log } from "../contract/log.ts";
import type { Auditor } from "../contract/operator.ts";
import type { Route } from "../contract/route.ts";
import { readJson } from "../http/own-bodies.ts";
import { backupPath, pruneBackups } from "../store/backup-files.ts";
import { databaseFile } from "../store/connection.ts";
import type { OpenStore } from "../store/open.ts";
import { giveToOwnerOf } from "../store/owner.ts";

interface BackupOptions {
	readonly store: OpenStore;
	readonly config: Pick<Config, "database" | "server">;
	readonly clock: Clock;
	readonly log: Log;
	readonly audit: Auditor;
}

interface Backups {
	readonly route: Route;
	readonly jobs: readonly Job[];
}

const body = t.Object(
	{
		file: t.Optional(
			t.String({ minLength: 1, description: "An absolute path on this machine, of a file that does not exist yet." }),
		),
		folder: t.Optional(
			t.String({
				minLength: 1,
				description: "An absolute path of a folder, for a file named by date; without one that of database.backup.",
			}),
		),
		keep: t.Optional(
			t.Integer({ minimum: 1, description: "How many such files stay in the folder; as database.backup has it." }),
		),
	},
	{ additionalProperties: false },
);

const refuse = (parameter: string, message: string): never => {
	throw new Fault(deny("invalid_request", message, { parameter }));
};

export interface Backup {
	readonly file: string;
	/** Older ones of the folder. */
	readonly removed: readonly string[];
}

type MakeBackup = (asked: Static<typeof body>) => Promise<Backup>;

/** What makes a backup of a database, to a file or into a folder. */
export const backupMaker = ({
	store,
	config,
	clock,
}: Pick<BackupOptions, "store" | "config" | "clock">): MakeBackup => {
	const { database, server } = config;
	const { dataFolder } = server;
	const source = databaseFile(database.url) ?? "";
	// A config whose paths nobody made absolute (a test's) names no folder.
	const { folder: usual = "", keep: usually } = database.backup;
	return async ({ file, folder = usual, keep = usually }) => {
		if (file !== undefined) {
			await store.backup(file);
			return { file, removed: [] };
		}
		if (dirname(folder) === dataFolder && !existsSync(folder)) {
			mkdirSync(folder, { mode: 0o700 });
			giveToOwnerOf(dataFolder, folder);
		}
		const dated = backupPath(folder, source, clock.now());
		await store.backup(dated);
		return { file: dated, removed: pruneBackups(folder, source, keep, dated) };
	};
};

export const createBackups = (options: BackupOptions): Backups => {
	const make = backupMaker(options);
	const { config, log, audit } = options;
	const { schedule } = config.database.backup;
	const scheduled: Job = {
		name: "backup",
		schedule: schedule ?? "",
		async run() {
			const { file, removed } = await make({});
			log.info("the database was backed up", { file, removed: removed.length });
		},
	};
	return {
		jobs: schedule === undefined ? [] : [scheduled],
		route: {
			method: "POST",
			path: "/admin/backup",
			access: "admin",
			summary: "Copies the database into a file on this machine.",
			body,
			async handle(call) {
				const asked = await readJson(call.request, body);
				const { file, folder, keep } = asked;
				if (folder !== undefined && file === undefined && !isAbsolute(folder))
					refuse("folder", "folder must be an absolute path.");
				if (file !== undefined) {
					if (folder !== undefined || keep !== undefined) refuse("file", "file goes without folder and keep.");
					if (!isAbsolute(file) || existsSync(file))
						refuse("file", "file must be an absolute path of a file that does not exist yet.");
				}
				const made = await make(asked);
				await audit.did(call, { verb: "back up", kind: "database", object: made.file });
				return Response.json(made);
			},
		},
	};
};
