/** Writes the requests of `declared.json`, from the published schemas in the shared folder: `bun test/losses/write-declared.ts`. */
import { writeFileSync } from "node:fs";
import { loadProtocols } from "../matrix/protocols.ts";
import { declaredLosses } from "./declared.ts";

const rows = declaredLosses(await loadProtocols()).map((row) => JSON.stringify(row));
writeFileSync(new URL("fixtures/declared.json", import.meta.url), `[\n${rows.join(",\n")}\n]\n`);
