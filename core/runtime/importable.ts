/**
 * Where a module may be imported from. Deno takes a file below `node_modules`, by its path alone, for Node's: it reads no
 * TypeScript there, and `#core` is not known to it. A link that stands elsewhere will do.
 */
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const inPackages = /^(.*[\\/]node_modules)[\\/](.+\.[mc]?[jt]s)$/;

/** By the folder of packages: where a link to it stands, beside one by which its packages find each other. */
const links = new Map<string, string>();

const linkTo = (packages: string): string => {
	const known = links.get(packages);
	if (known !== undefined) return known;
	const place = mkdtempSync(join(tmpdir(), "portico-plugin-"));
	process.once("exit", () => rmSync(place, { recursive: true, force: true }));
	const link = join(place, "packages");
	symlinkSync(packages, link);
	symlinkSync(packages, join(place, "node_modules"));
	links.set(packages, link);
	return link;
};

/** The same file by a path that this runtime imports. */
export const importablePath = (path: string): string => {
	const [, packages, file] = (process.versions["deno"] !== undefined && inPackages.exec(path)) || [];
	return packages === undefined || file === undefined ? path : join(linkTo(packages), file);
};
