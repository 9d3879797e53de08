/** Figures as the database gives them. */

/** A whole number, or undefined for anything else (also NULL). A database over HTTP may give a bigint. */
export const count = (value: unknown): number | undefined => {
	const number = typeof value === "bigint" ? Number(value) : value;
	return typeof number === "number" && Number.isSafeInteger(number) ? number : undefined;
};
