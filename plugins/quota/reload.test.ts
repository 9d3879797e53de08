/** What a reload does to the settings of a plugin whose accounts outlive it. */
import { afterEach, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startGateway, type TestGateway } from "#core/testing";

let gateway: TestGateway | undefined;
afterEach(() => gateway?.stop());

const warned = async (before: number, after: number): Promise<readonly unknown[]> => {
	const at = await startGateway({ plugins: ["tokens", "prices", { use: "quota", with: { leaseSeconds: before } }] });
	gateway = at;
	const file = join(at.folder, "portico.yaml");
	writeFileSync(file, readFileSync(file, "utf8").replace(`"leaseSeconds":${before}`, `"leaseSeconds":${after}`));
	expect(await at.portico.reload()).toEqual([]);
	return at.log
		.filter(({ msg }) => msg === "a changed setting counts from the next restart on")
		.map(({ setting }) => setting);
};

test("another length of leases is said to take a restart", async () => {
	expect(await warned(30, 300)).toEqual(["quota.leaseSeconds"]);
});

test("the same length is not", async () => {
	expect(await warned(30, 30)).toEqual([]);
});
