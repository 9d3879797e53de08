/** What the system refuses about a file, in words: which file, why, and what can be done. */
import { resolve } from "node:path";
import { asRecord, asText } from "../neutral/json.ts";

const may = "give this user the right to, or call it as a user that has it";
const room = "make room there";

const byCode: Readonly<Record<string, readonly [why: string, advice: string]>> = {
	EACCES: ["this user may not", may],
	EPERM: ["this user may not", may],
	EROFS: ["its file system is read only", "name another place, or let it be written"],
	ENOSPC: ["its disk is full", room],
	EDQUOT: ["this user's part of its disk is full", room],
	ENOTDIR: ["a part of its path is no folder", "see what stands there"],
	EISDIR: ["it is a folder", "name a file"],
	EMFILE: ["this process has too many files open", "raise its limit of open files (ulimit -n)"],
};

const verbs: Readonly<Record<string, string>> = { mkdir: "made", open: "opened", scandir: "read", rename: "moved" };

/** Undefined where it is no such refusal. */
export const systemRefusal = (error: Error): string | undefined => {
	const { code, path, syscall } = asRecord(error);
	const [file, word, call] = [asText(path), asText(code) ?? "", asText(syscall) ?? ""];
	const known = Object.hasOwn(byCode, word) ? byCode[word] : undefined;
	if (file === undefined || known === undefined) return undefined;
	const [why, advice] = known;
	return `${resolve(file)} cannot be ${verbs[call] ?? "used"}: ${why} (${word}); ${advice}`;
};
