/** How hard the attacks hit: a little in every run of the suite, at full size by `npm run attacks`. */
const atFullSize = process.env["PORTICO_ATTACKS"] === "full";

export const sized = (small: number, full: number): number => (atFullSize ? full : small);
