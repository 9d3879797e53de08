/** What is said where no route answers: the method and the path that were asked for, so that the caller sees which one it is. */
import { type Denial, deny } from "../contract/fault.ts";

const longestPath = 200;

/** `allowed`: the methods that the path does have. */
export const notServed = ({ method, url }: Request, allowed: readonly string[] = []): Denial => {
	const asked = `${method} ${pathOf(url).slice(0, longestPath)}`;
	if (allowed.length === 0) return deny("not_found", `${asked} is not served here; GET /openapi.json lists what is.`);
	const methods = allowed.join(", ");
	return deny("method_not_allowed", `${asked} is not served here; this address takes ${methods}.`, {
		headers: { allow: methods },
	});
};

/** Without the query and without ids, which may be a key in the wrong place. */
const pathOf = (url: string): string => {
	if (!URL.canParse(url)) return "";
	return new URL(url).pathname.replace(/[^/]{16,}/g, (segment) => (/\d/.test(segment) ? "…" : segment));
};
