/** The plainest text or number that a JSON Schema accepts. */
import { asNumber, asText, lookup, type WireRecord } from "#core";

const formats = lookup<string>({
	"date-time": "2027-01-31T12:00:00Z",
	date: "2027-01-31",
	time: "12:00:00Z",
	duration: "P1D",
	email: "demo@example.com",
	hostname: "example.com",
	ipv4: "192.0.2.1",
	ipv6: "2001:db8::1",
	uri: "https://example.com/",
	"uri-reference": "/example",
	uuid: "00000000-0000-4000-8000-000000000000",
});

/** `hint` where any text would do; `turn` makes texts differ in a list of unique ones. Patterns are not solved. */
export const sampleText = (schema: WireRecord, hint: string, turn: number): string => {
	const format = formats[asText(schema["format"]) ?? ""];
	const text = [...(format ?? (turn === 0 ? hint : `${turn + 1} ${hint}`))];
	const shortest = asNumber(schema["minLength"]) ?? 0;
	const longest = Math.max(shortest, asNumber(schema["maxLength"]) ?? text.length);
	while (text.length < shortest) text.push(".");
	return text.slice(0, longest).join("");
};

/** 1 where that will do, otherwise the nearest bound that does; `turn` makes numbers differ in a list of unique ones. */
export const sampleNumber = (schema: WireRecord, whole: boolean, turn: number): number => {
	const bounds = {
		least: asNumber(schema["minimum"]) ?? Number.NEGATIVE_INFINITY,
		above: asNumber(schema["exclusiveMinimum"]) ?? Number.NEGATIVE_INFINITY,
		most: asNumber(schema["maximum"]) ?? Number.POSITIVE_INFINITY,
		below: asNumber(schema["exclusiveMaximum"]) ?? Number.POSITIVE_INFINITY,
	};
	const step = asNumber(schema["multipleOf"]) ?? (whole ? 1 : 0);
	const fits = (value: number): boolean =>
		Number.isFinite(value) &&
		value >= bounds.least &&
		value > bounds.above &&
		value <= bounds.most &&
		value < bounds.below &&
		(!whole || Number.isInteger(value)) &&
		(step === 0 || Number.isInteger(value / step));
	const low = Math.max(bounds.least, bounds.above);
	const high = Math.min(bounds.most, bounds.below);
	const stride = step || 1;
	const near = [1, low, high, (low + high) / 2, 0].flatMap((value) => [
		value,
		Math.ceil(value / stride) * stride,
		Math.floor(value / stride) * stride,
		(Math.floor(value / stride) + 1) * stride,
		(Math.ceil(value / stride) - 1) * stride,
	]);
	const first = near.find(fits) ?? 0;
	const next = [first + turn * stride, first - turn * stride].find(fits);
	return next ?? first;
};
