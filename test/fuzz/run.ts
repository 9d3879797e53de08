/**
 * `npm run fuzz -- --seconds 600 --seed 7 --side bodies`: fuzzing for as long as wanted. What is found is printed with the
 * seed of its try; `--side bodies --seed 4711 --tries 1` makes that one again.
 */
import { parseArgs } from "node:util";
import { fuzz } from "./fuzz.ts";
import { sides } from "./tries.ts";

const { values } = parseArgs({
	options: {
		seconds: { type: "string", default: "600" },
		seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
		tries: { type: "string" },
		side: { type: "string" },
	},
});
const chosen = sides.filter((side) => values.side === undefined || values.side === side);
if (chosen.length === 0) throw new TypeError(`--side is one of ${sides.join(", ")}`);
let failed = false;
for (const side of chosen) {
	const { tries, found } = await fuzz(side, {
		seed: Number(values.seed),
		milliseconds: Number(values.seconds) * 1000,
		...(values.tries !== undefined && { most: Number(values.tries) }),
	});
	process.stdout.write(`${side}: ${tries} tries from seed ${values.seed} on, ${found.length} found\n`);
	for (const one of found) process.stdout.write(`  ${one.slice(0, 4000)}\n`);
	failed ||= found.length > 0;
}
process.exit(failed ? 1 : 0);
