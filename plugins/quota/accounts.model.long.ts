/** Quotas hold in every random history. `QUOTA_SEEDS` sets how many (6,000 unless said); see `quota-histories.ts`. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { checkHistories, seed } from "../../test/support/quota-histories.ts";

const seeds = Number(process.env["QUOTA_SEEDS"] ?? 6_000);

test(`a quota holds in ${seeds} histories (seed ${seed})`, async () => {
	const details = await checkHistories(seeds, {});
	expect(details.failed ? `${details.errorInstance}\n${fc.defaultReportMessage(details)}` : "holds").toBe("holds");
}, 300_000);
