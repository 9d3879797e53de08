/** Money: kept and counted as whole micro-dollars, said and shown as dollars. */

const million = 1_000_000;

/** What is less than a micro-dollar is dropped, but for what floating point takes off a whole one. */
export const toMicroDollars = (dollars: number): number => Math.floor(Number((dollars * million).toFixed(3)));

export const toDollars = (microDollars: number): number => microDollars / million;
