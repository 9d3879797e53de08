/** A certificate authority of a test's own, and what it has signed: `openssl` makes them. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Signed {
	/** Files, in PEM. */
	readonly cert: string;
	readonly key: string;
}

interface TestAuthority {
	/** The file of its own certificate. */
	readonly ca: string;
	/** A certificate for a name and 127.0.0.1. */
	sign(name: string): Signed;
	remove(): void;
}

const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

export const createAuthority = (): TestAuthority => {
	const folder = mkdtempSync(join(tmpdir(), "portico-authority-"));
	const file = (name: string): string => join(folder, name);
	const openssl = (...words: string[]): void =>
		void execFileSync("openssl", words, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
	const request = (name: string): readonly string[] => [...curve, "-subj", `/CN=${name}`, "-keyout", `${name}.key`];
	openssl("req", "-x509", ...request("ca"), "-days", "2", "-out", "ca.pem");
	return {
		ca: file("ca.pem"),
		sign(name) {
			openssl("req", ...request(name), "-addext", "subjectAltName=IP:127.0.0.1", "-out", `${name}.csr`);
			const by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-copy_extensions", "copy"];
			openssl("x509", "-req", "-in", `${name}.csr`, ...by, "-days", "2", "-out", `${name}.pem`);
			return { cert: file(`${name}.pem`), key: file(`${name}.key`) };
		},
		remove: () => rmSync(folder, { recursive: true, force: true }),
	};
};

export const textOf = (path: string): string => readFileSync(path, "utf8");
