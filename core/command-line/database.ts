/** `portico db`: backups, and what puts them back or moves a database; the latter while no server has it open. */
import { existsSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseWords, refuseCommand } from "../config/command-words.ts";
import { didYouMean } from "../config/complaint.ts";
import type { Command, CommandRun } from "../contract/command.ts";
import type { Tables } from "../contract/store.ts";
import { backupMaker } from "../host/backups.ts";
import type { Blueprint } from "../host/blueprint.ts";
import { tablesInOrder } from "../host/generation.ts";
import { leftJournals, nodeLock } from "../host/node-files.ts";
import { asList, asRecord } from "../neutral/json.ts";
import { createLog } from "../runtime/log.ts";
import { makeFilesPrivate } from "../runtime/system.ts";
import { showPassing, showWaiting } from "../runtime/terminal.ts";
import { databaseFile } from "../store/connection.ts";
import { lockFile } from "../store/lock.ts";
import { giveToOwnerOf } from "../store/owner.ts";
import { restoreFile } from "../store/restore.ts";
import { isTakenOver, serverFolder } from "../store/taken-over.ts";
import { type Place, transferDatabase } from "../store/transfer.ts";
import { systemClock } from "../wire/system-clock.ts";
import { buildOnly } from "./inspect.ts";
import { dataFolderOf, openDatabase } from "./open.ts";
import { openOwnDatabase } from "./own-database.ts";
import { runningServer } from "./running-server.ts";

const usage = [
	"portico db backup [FILE | FOLDER/] [--keep N]",
	"portico db restore FILE",
	"portico db export FILE",
	"portico db import FILE",
	"",
	"  backup    copies the database while it is in use: to FILE, which must not exist, or into a FOLDER by name and date, where the newest N stay; without either as database.backup says",
	"  restore   puts a backup in the place of the database file; the old one stays beside it under a new name",
	"  export    writes the whole database, a server's too, into a new FILE, and proves by sums that all of it is there",
	"  import    writes FILE, an export or a backup, into a database that is empty, and proves it likewise",
	"",
	"restore, export and import run while no server does. Journals stay in the data folder: the next start charges what they tell that the database does not, each call once.",
].join("\n");

const isFolder = (path: string): boolean => path.endsWith("/") || (existsSync(path) && statSync(path).isDirectory());

const sizeOf = (file: string): string => `${(statSync(file).size / 1_000_000).toFixed(1)} MB`;

type Print = CommandRun["print"];

type MakeBackup = (asked: ReturnType<typeof backupBody>) => Promise<unknown>;

const backupBody = (path: string | undefined, keep: string | undefined) => {
	const count = keep === undefined ? undefined : Number(keep);
	if (count !== undefined && !(Number.isInteger(count) && count > 0))
		refuseCommand(`--keep must be a number of at least 1, not "${keep}"`);
	if (path === undefined) return { ...(count !== undefined && { keep: count }) };
	if (isFolder(path)) return { folder: resolve(path), ...(count !== undefined && { keep: count }) };
	if (count !== undefined) refuseCommand(`--keep is for a folder; ${path} is a file`);
	if (existsSync(path)) refuseCommand(`${resolve(path)} exists already; name a new file, or a folder`);
	return { file: resolve(path) };
};

const backup = async (words: readonly string[], make: MakeBackup, print: Print): Promise<void> => {
	const { values, positionals } = parseWords(
		{ args: [...words], options: { keep: { type: "string" } }, allowPositionals: true },
		usage,
	);
	if (positionals.length > 1)
		refuseCommand(`portico db backup takes one FILE or FOLDER, not ${positionals.length}`, usage);
	const copied = make(backupBody(positionals[0], values.keep));
	const answer = asRecord(await showWaiting("copying the database", copied));
	print(`wrote ${String(answer["file"])}`);
	for (const file of asList(answer["removed"])) print(`removed ${String(file)}`);
};

/** What `db` does beside `databaseFilesWork`. */
const runBackup = async ([action = "", ...words]: readonly string[], make: MakeBackup, print: Print): Promise<void> => {
	if (action === "backup") return await backup(words, make, print);
	const near = didYouMean(action, ["backup", "restore", "export", "import"]);
	return refuseCommand(`portico db ${action === "" ? "needs a word" : `has no "${action}"${near}`}`, usage);
};

/** `db backup` of a database that an earlier version wrote: as it is, so that one can go back to that version. No plugin is started. */
export const backupEarlier = async (words: readonly string[], blueprint: Blueprint, print: Print): Promise<void> => {
	const { config } = blueprint;
	const opened = await openDatabase(undefined, { ...config.database, clock: systemClock, log: createLog("error") });
	if ("heldBy" in opened)
		return refuseCommand(`the database is in use by process ${opened.heldBy.pid}; try again in a moment`);
	try {
		await runBackup(words, backupMaker({ store: opened.store, config, clock: systemClock }), print);
	} finally {
		await opened.store.close();
	}
};

export const databaseCommand: Command = {
	name: "db",
	summary: "Backs the database up, restores it, moves it.",
	usage: () => usage,
	run: ({ words, call, print }) => runBackup(words, (asked) => call("POST", "/admin/backup", asked), print),
};

interface FileWork {
	readonly blueprint: Blueprint;
	readonly file: string;
	print(line: string): void;
}

const restore = async ({ blueprint, file, print }: FileWork): Promise<void> => {
	const database = databaseFile(blueprint.config.database.url);
	if (database !== undefined && isTakenOver(database))
		return refuseCommand(
			`${serverFolder(database)} holds the database now; move that folder away first, and ${file} takes its place as a file`,
		);
	if (database === undefined)
		return refuseCommand(
			`the database of ${blueprint.file} is a server; portico db import FILE writes into an empty one`,
		);
	const known = tablesInOrder(await buildOnly(blueprint));
	if (existsSync(file) && !isFolder(file)) showPassing(`copying and checking ${file} (${sizeOf(file)}) …`);
	const { aside } = restoreFile({ backup: file, database, tables: known, now: Date.now() });
	showPassing("");
	if (aside !== undefined) print(`the old database is now ${aside}`);
	print(`restored ${database} from ${file} (${sizeOf(database)})`);
};

const placeOf = ({ config }: Blueprint): Place => {
	const { url, authToken } = config.database;
	const named = databaseFile(url) ?? `the database server ${new URL(url).host}`;
	return { url, named, ...(authToken !== undefined && { authToken }) };
};

/** The database while no server has it: each file belongs to one process, and so does the data folder of a node whose database is a server. */
const atRest = async (blueprint: Blueprint, work: (place: Place) => Promise<void>): Promise<void> => {
	const place = placeOf(blueprint);
	const dataFolder = dataFolderOf(blueprint);
	// Workers at a database server lock folders of their own within the data folder.
	const running = runningServer(place.url, dataFolder);
	if (running)
		return refuseCommand(
			`${place.named} is in use by process ${running.pid}, which serves at ${running.address}; stop every node first`,
		);
	const own = await openOwnDatabase({ url: place.url, log: createLog("error") });
	const path = databaseFile(place.url) ?? nodeLock(dataFolder);
	const lock = own ?? lockFile(path);
	if ("heldBy" in lock) return refuseCommand(`${path} is in use by process ${lock.heldBy.pid}; stop every node first`);
	try {
		await work("database" in lock ? { ...place, ...lock.database } : place);
	} finally {
		if ("database" in lock) await lock.close();
		else lock.release();
	}
};

const refuseJournals = (folder: string): void => {
	const [journal] = leftJournals(folder);
	if (journal !== undefined)
		refuseCommand(
			`${journal} tells of calls that are not charged yet; start and stop portico once (amid an upgrade the version that ran before), then again`,
		);
};

const refuseFolder = (file: string, meant: string): void => {
	if (existsSync(file) && isFolder(file)) refuseCommand(`${file} is a folder; name ${meant} in it`);
};

/** The file that is named to be read or written. */
const placeAt = (file: string): Place => ({ url: `file:${file.replace(/[%?#]/g, encodeURIComponent)}`, named: file });

interface Move {
	readonly from: Place;
	readonly to: Place;
	readonly tables: readonly Tables[];
	readonly print: (line: string) => void;
}

const move = async ({ from, to, tables, print }: Move): Promise<void> => {
	const progress = (table: string, rows: number, done: boolean): void => {
		showPassing(done ? "" : `  ${table}: ${rows} rows …`);
		if (done) print(`  ${table}: ${rows} rows`);
	};
	const sums = await transferDatabase({ from, to, tables, progress });
	const figures = [...sums.values()].reduce((count, columns) => count + Object.keys(columns).length, 0);
	print(`${from.named} is in ${to.named}: ${sums.size} tables, ${figures} sums, all equal`);
};

const exportTo = async ({ blueprint, file, print }: FileWork): Promise<void> => {
	refuseFolder(file, "a new file");
	if (existsSync(file)) refuseCommand(`${file} exists already; name a new file`);
	const folder = dirname(file);
	if (!existsSync(folder)) refuseCommand(`there is no folder ${folder}: make it, or name a file elsewhere`);
	const tables = tablesInOrder(await buildOnly(blueprint));
	try {
		await atRest(blueprint, async (place) => {
			// Only now: what a process that serves has in its journal is no reason to start one.
			refuseJournals(dataFolderOf(blueprint));
			await move({ from: place, to: placeAt(file), tables, print });
		});
	} catch (error) {
		for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
		throw error;
	}
};

const importFrom = async ({ blueprint, file, print }: FileWork): Promise<void> => {
	refuseFolder(file, "the file");
	if (!existsSync(file)) refuseCommand(`there is no file ${file}`);
	const tables = tablesInOrder(await buildOnly(blueprint));
	await atRest(blueprint, async (place) => {
		await move({ from: placeAt(file), to: place, tables, print });
		const made = databaseFile(place.url);
		if (made !== undefined) giveToOwnerOf(dirname(made), made);
	});
};

const onFiles: Readonly<Record<string, (work: FileWork) => Promise<void>>> = {
	restore,
	export: exportTo,
	import: importFrom,
};

/** What `db` does without starting Portico: the words it is to be called with; undefined for other words. */
export const databaseFilesWork = (
	words: readonly string[],
): ((blueprint: Blueprint, print: (line: string) => void) => Promise<void>) | undefined => {
	const [action = "", file, ...more] = words;
	const run = Object.hasOwn(onFiles, action) ? onFiles[action] : undefined;
	if (run === undefined) return undefined;
	return async (blueprint, print) => {
		const [strange] = [file ?? "", ...more].filter((word, at) => at > 0 || word.startsWith("-"));
		if (strange !== undefined) return refuseCommand(`portico db ${action} takes one FILE and no "${strange}"`, usage);
		if (file === undefined) return refuseCommand(`portico db ${action} needs a FILE`, usage);
		makeFilesPrivate();
		await run({ blueprint, file: resolve(file), print });
	};
};
