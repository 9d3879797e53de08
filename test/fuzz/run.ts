/** `npm run fuzz -- --seconds 600 --seed 7 --side bodies`: fuzzing for as long as wanted; the seed is printed. */
import { parseArgs } from "node:util";
import { fuzz, sides } from "./fuzz.ts";

const { values } = parseArgs({
	options: {
		seconds: { type: "string", default: "600" },
		seed: { type: "string", default: String(Date.now() % 1_000_000) },
		side: { type: "string" },
	},
});
let failed = false;
for (const side of sides) {
	if (values.side !== undefined && values.side !== side) continue;
	const { tries, found } = await fuzz(side, Number(values.seconds), Number(values.seed));
	process.stdout.write(`${side}: ${tries} tries with seed ${values.seed}, ${found.length} found\n`);
	for (const one of found) process.stdout.write(`  ${one.slice(0, 2000)}\n`);
	failed ||= found.length > 0;
}
process.exit(failed ? 1 : 0);
