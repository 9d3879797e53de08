/** Headers of calls without a good key, beside whatever else they carry: what each is, and what it sends. */
export const wrongKeys: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
	["no key", { authorization: "" }],
	["an empty one", { authorization: "Bearer " }],
	["Basic", { authorization: "Basic dXNlcjpwdw==" }],
	["one never issued", { authorization: `Bearer sk-${"a".repeat(49)}` }],
	["one with SQL in it", { authorization: "Bearer sk-' OR 1=1 --" }],
	["one of 10 KB", { authorization: `Bearer ${"k".repeat(10_000)}` }],
	["two that differ", { "x-api-key": "sk-other" }],
];
