/**
 * Finds paths that are not what they seem. Bun resolves `..` before anybody sees the path, but its own router matches what
 * was really sent: so whatever hides another path (`..` in any spelling, an empty part, more parts than any route has) is a
 * route there, and so is `/admin` sent as it is.
 */

/** More parts than any path that is served here. */
const mostParts = 12;

/** `..` as URL parsers understand it. */
const upwards = [".", "%2e", "%2E"].flatMap((first) => [".", "%2e", "%2E"].map((second) => first + second));

const parts = (count: number): string => Array.from({ length: count }, (_, index) => `/:part${index}`).join("");

/** Below each of these the router looks first among its own routes. */
const beginnings = ["", "/admin"];

/** Patterns of Bun's router that only crooked paths match. */
export const crookedPatterns: readonly string[] = beginnings.flatMap((beginning) => [
	`${beginning}${parts(mostParts + 1)}/*`,
	...Array.from({ length: mostParts + 1 }, (_, depth) => beginning + parts(depth)).flatMap((before) => [
		`${before}//*`,
		...upwards.flatMap((up) => [`${before}/${up}`, `${before}/${up}/*`]),
	]),
]);

/** Paths to which no crooked path may lead, in the form in which a client that means them sends them. */
export const straightPatterns: readonly string[] = ["/admin", "/admin/*"];

/** Whether a resolved URL leads to one of them. */
export const isGuarded = (url: string): boolean => {
	const path = url.indexOf("/", 8);
	if (!url.startsWith("/admin", path)) return false;
	const next = url.charAt(path + "/admin".length);
	return next === "" || next === "/" || next === "?" || next === "#";
};

/** The same for a URL that was not resolved, as Deno gives it. */
export const isCrooked = (url: string): boolean => {
	const path = /^[^?#]*/.exec(url.slice(url.indexOf("/", 8)))?.[0] ?? "";
	return /\/\/|\\|\/(?:\.|%2e){2}(?:\/|$)/i.test(path) || path.split("/").length > mostParts + 1;
};
