/** Lists in statements. */
import { type SQL, sql } from "drizzle-orm";

/**
 * What stands behind `IN`: however many there are they are one value, so that the statement stays the same text.
 *
 * @example
 * sql`SELECT name FROM tokens WHERE id IN ${valueList(ids)}`
 */
export const valueList = (values: Iterable<string | number>): SQL =>
	sql`(SELECT value FROM json_each(${JSON.stringify([...values])}))`;
