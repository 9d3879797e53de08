/** Certificates that nobody has signed but who shows them: `openssl` makes them. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Writes `NAME.key` and `NAME.crt` into the folder. */
export const writeCertificate = (folder: string, name: string): void => {
	const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "9"];
	const files = ["-keyout", join(folder, `${name}.key`), "-out", join(folder, `${name}.crt`)];
	execFileSync("openssl", ["req", "-x509", ...kind, "-subj", `/CN=${name}`, ...files], { stdio: "ignore" });
};
