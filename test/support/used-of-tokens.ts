/** What each token has used, in dollars, as operators are shown it. */
import { asList, asRecord } from "#core";
import type { TestGateway } from "#core/testing";

export const usedOfTokens = async ({ admin }: Pick<TestGateway, "admin">): Promise<readonly unknown[]> =>
	asList((await admin("GET", "/admin/tokens"))["data"]).map((token) => asRecord(token)["used"]);
