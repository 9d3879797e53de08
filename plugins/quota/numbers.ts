/** Figures as the database gives them, and money as people write it. */

/** A whole number, or undefined for anything else (also NULL). A database over HTTP may give a bigint. */
export const count = (value: unknown): number | undefined => {
	const number = typeof value === "bigint" ? Number(value) : value;
	return typeof number === "number" && Number.isSafeInteger(number) ? number : undefined;
};

const million = 1_000_000;

/** Dollars as whole micro-dollars; what is less than one is dropped. */
export const toMicroDollars = (dollars: number): number => Math.floor(Number((dollars * million).toFixed(3)));

/** Micro-dollars as dollars. */
export const toDollars = (microDollars: number): number => microDollars / million;
