/** Budgets as people write them and read them: `5/day,100/month@Europe/Berlin`. */
import { asList, asNumber, asRecord, dollars } from "#core";

/** `5/day,100/month@Europe/Berlin`; anything else is left for JSON. */
export const budgetsFromWords = (words: string): unknown => {
	if (words.trimStart().startsWith("[")) return JSON.parse(words);
	return words.split(",").map((one) => {
		const found = /^\s*\$?([\d.]+)\/(\w+)(?:@([\w+/-]+))?\s*$/.exec(one);
		if (!found) throw new TypeError(`"${one.trim()}" is no budget; write 5/day, 20/week or 100/month@Europe/Berlin`);
		const [, amount, per, zone] = found;
		return { amount: Number(amount), per, ...(zone !== undefined && { zone }) };
	});
};

/** `$5.00/day: $4.10 left`; what is left is not known where the server does not tell it. */
export const budgetsInWords = (value: unknown, shown: unknown): string => {
	const told = asList(shown)
		.map(asRecord)
		.filter(({ owner }) => owner === undefined);
	return asList(value)
		.map(asRecord)
		.map(({ amount, per, zone = "UTC" }) => {
			const left = asNumber(told.find((one) => one["per"] === per && one["zone"] === zone)?.["remaining"]);
			const place = zone === "UTC" ? "" : `@${String(zone)}`;
			return `${dollars(asNumber(amount) ?? 0)}/${String(per)}${place}${left === undefined ? "" : `: ${dollars(left)} left`}`;
		})
		.join(", ");
};
