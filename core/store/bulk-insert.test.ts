import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { createScratchStore } from "../../test/support/scratch-store.ts";
import { bulkInsert } from "./bulk-insert.ts";

test("rows are inserted, in as many statements as it takes, and those already there are left as they are", async () => {
	const statements = ["CREATE TABLE things (id TEXT PRIMARY KEY, size INTEGER, good INTEGER) STRICT"];
	const store = await createScratchStore([{ plugin: "things", migrations: [{ name: "001", statements }] }]);
	try {
		const insert = bulkInsert({ table: "things", columns: ["id", "size", "good"] });
		const rows = Array.from({ length: 250 }, (_, index) => ({
			id: `t${index}`,
			...(index % 3 !== 0 && { size: index }),
			good: index % 2,
		}));
		expect(insert(rows)).toHaveLength(10);
		expect(insert([])).toEqual([]);
		await store.write(insert([{ id: "t7", size: 1000, good: 0 }]));
		await store.write(insert(rows));
		await store.write(insert(rows));
		const found = await store.all(sql`SELECT count(*) AS n, sum(size IS NULL) AS empty, max(size) AS most FROM things`);
		expect(found).toEqual([{ n: 250, empty: 84, most: 1000 }]);
	} finally {
		store.close();
	}
});
