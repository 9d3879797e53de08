import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Identified } from "#core";
import { type Networks, networksOf, readNetwork } from "#core";
import { clientAddress } from "../../core/http/address.ts";
import { ips, refuseAddress } from "./ips.ts";

/** Whether a call from there passes. */
const allows = (list: Networks, address: string | undefined): boolean =>
	refuseAddress({ address } as unknown as Identified, list) === undefined;

/** The naive oracle: an address as a family and a string of bits, a network as a prefix of such a string. */
const octets = (text: string): string =>
	text
		.split(".")
		.map((octet) => Number(octet).toString(2).padStart(8, "0"))
		.join("");
const groups = (text: string): string[] =>
	text === ""
		? []
		: text.split(":").flatMap((group) => {
				if (!group.includes(".")) return [Number.parseInt(group, 16).toString(2).padStart(16, "0")];
				const bits = octets(group);
				return [bits.slice(0, 16), bits.slice(16)];
			});
const bitsOf = (text: string): { family: 4 | 6; bits: string } => {
	if (!text.includes(":")) return { family: 4, bits: octets(text) };
	const [left = "", right] = text.split("::");
	const head = groups(left);
	const tail = right === undefined ? [] : groups(right);
	const zeros = right === undefined ? [] : new Array(8 - head.length - tail.length).fill("0".repeat(16));
	const bits = [...head, ...zeros, ...tail].join("");
	const mapped = "0".repeat(80) + "1".repeat(16);
	return bits.startsWith(mapped) ? { family: 4, bits: bits.slice(96) } : { family: 6, bits };
};
const oracle = (list: readonly string[], address: string): boolean =>
	list.some((entry) => {
		const [base = "", length] = entry.split("/");
		const network = bitsOf(base);
		const client = bitsOf(address);
		const given = length === undefined ? network.bits.length : Number(length);
		const prefix = base.includes(":") && network.family === 4 && length !== undefined ? given - 96 : given;
		return network.family === client.family && network.bits.slice(0, prefix) === client.bits.slice(0, prefix);
	});

const lists: readonly (readonly string[])[] = [
	["192.0.2.7"],
	["192.0.2.7/32"],
	["192.0.2.6/31"],
	["10.0.0.0/8"],
	["10.0.0.5/24"],
	["0.0.0.0/0"],
	["::/0"],
	["0.0.0.0/0", "::/0"],
	["128.0.0.0/1"],
	["::1"],
	["2001:db8::/32"],
	["2001:db8::5/128"],
	["2001:db8:0:1::/64", "172.16.0.0/12"],
	["::ffff:192.0.2.7"],
	["::ffff:10.0.0.0/104"],
];
const addresses: readonly string[] = [
	"192.0.2.7",
	"192.0.2.6",
	"192.0.2.5",
	"192.0.2.8",
	"::ffff:192.0.2.7",
	"::ffff:c000:207",
	"9.255.255.255",
	"10.0.0.0",
	"10.0.0.255",
	"10.0.1.0",
	"10.255.255.255",
	"11.0.0.0",
	"127.255.255.255",
	"128.0.0.0",
	"0.0.0.0",
	"255.255.255.255",
	"172.15.255.255",
	"172.16.0.0",
	"172.31.255.255",
	"172.32.0.0",
	"::",
	"::1",
	"::2",
	"0:0:0:0:0:0:0:1",
	"2001:db8::",
	"2001:DB8::5",
	"2001:db8:0:1:ffff:ffff:ffff:ffff",
	"2001:db8:0:2::",
	"2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
	"2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
	"2001:db9::",
	"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
];

describe("a list and an address agree with the bits", () => {
	for (const list of lists)
		for (const address of addresses) {
			const expected = oracle(list, address);
			test(`[${list}] ${expected ? "holds" : "does not hold"} ${address}`, () => {
				expect(allows(networksOf(list), address)).toBe(expected);
			});
		}

	test("for any network and any address near its borders", () => {
		const v4 = fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }), fc.integer({ min: 0, max: 32 }));
		const v6 = fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), fc.integer({ min: 0, max: 128 }));
		const text4 = (value: bigint): string =>
			[24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join(".");
		const text6 = (value: bigint): string =>
			[112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => ((value >> shift) & 65535n).toString(16)).join(":");
		const check = (
			size: bigint,
			text: (value: bigint) => string,
			[value, prefix]: [bigint, number],
			off: bigint,
		): void => {
			const span = 2n ** (size - BigInt(prefix));
			const first = (value / span) * span;
			const list = [`${text(value)}/${prefix}`];
			for (const near of [first, first + span - 1n, first - 1n, first + span, value + off]) {
				const address = text(((near % 2n ** size) + 2n ** size) % 2n ** size);
				expect(allows(networksOf(list), address)).toBe(oracle(list, address));
			}
		};
		fc.assert(
			fc.property(v4, v6, fc.bigInt({ min: -5n, max: 5n }), (small, large, off) => {
				check(32n, text4, small, off);
				check(128n, text6, large, off);
			}),
			{ numRuns: 300 },
		);
	});
});

describe("behind proxies", () => {
	const proxies = networksOf(["10.9.0.0/16", "2001:db8:9::/48"]);
	const list = networksOf(["203.0.113.0/24", "2001:db8:1::/48"]);
	const seen = (peer: string | undefined, header: string | null): boolean =>
		allows(list, clientAddress(peer, header, proxies));

	test.each<[string, string | undefined, string | null, boolean]>([
		["direct, on the list", "203.0.113.9", null, true],
		["direct, mapped", "::ffff:203.0.113.9", null, true],
		["direct, not on the list", "198.51.100.9", null, false],
		["a header from a peer that is no proxy is ignored", "198.51.100.9", "203.0.113.9", false],
		["and cannot hide a listed one either", "203.0.113.9", "198.51.100.9", true],
		["one proxy", "10.9.0.1", "203.0.113.9", true],
		["one proxy, mapped peer", "::ffff:10.9.0.1", "203.0.113.9", true],
		["one proxy, IPv6 client", "10.9.0.1", "2001:db8:1::7", true],
		["one proxy, client with a port", "10.9.0.1", "203.0.113.9:4711", true],
		["one proxy, IPv6 client with a port", "10.9.0.1", "[2001:db8:1::7]:443", true],
		["one proxy, client mapped", "10.9.0.1", "::ffff:203.0.113.9", true],
		["one proxy, spoofed in front", "10.9.0.1", "203.0.113.9, 198.51.100.9", false],
		["one proxy, spoofed with a proxy's address in front", "10.9.0.1", "203.0.113.9, 10.9.0.7, 198.51.100.9", false],
		["two proxies", "10.9.0.1", "203.0.113.9, 10.9.0.2", true],
		["two proxies, IPv6 between", "2001:db8:9::1", "203.0.113.9, 2001:db8:9::2", true],
		["two proxies, spoofed in front", "10.9.0.1", "203.0.113.9, 198.51.100.9, 10.9.0.2", false],
		["header given twice, joined in order", "10.9.0.1", "198.51.100.9, 203.0.113.9", true],
		["an entry that cannot be read", "10.9.0.1", "unknown", false],
		["an entry that cannot be read before a listed one is not reached", "10.9.0.1", "unknown, 203.0.113.9", true],
		["an entry that cannot be read after a listed one", "10.9.0.1", "203.0.113.9, _hidden", false],
		["an empty header", "10.9.0.1", "", false],
		["a proxy itself", "10.9.0.1", null, false],
		["no address at all", undefined, null, false],
	])("%s", (_name, peer, header, expected) => expect(seen(peer, header)).toBe(expected));
});

describe("an entry", () => {
	test.each([
		"127.1",
		"0x7f.1",
		"2130706433",
		"1.2.3",
		"1.2.3.04",
		"1.2.3.4.5",
		"",
		" 10.0.0.1",
		"10.0.0.0/33",
		"10.0.0.0/-1",
		"10.0.0.0/8.0",
		"10.0.0.0/ 8",
		"10.0.0.0/",
		"/8",
		"::/129",
		"fe80::1%eth0",
		"fe80::%1/64",
		"localhost",
		"10.0.0.0/8/8",
		"::ffff:1.2.3.4/200",
		"10.0.0.0/255.0.0.0",
		"10.0.0.0/1e1",
	])("%p is refused, named in the complaint, and does not compile", (entry) => {
		expect(readNetwork(entry)).toBeUndefined();
		expect(ips.refuse?.(["10.0.0.1", entry])).toContain(`"${entry}"`);
		expect(() => ips.compile([entry])).toThrow(TypeError);
	});

	test.each([
		["10.0.0.5/24", "10.0.0.0/24"],
		["192.0.2.7", "192.0.2.7/32"],
		["2001:DB8:0:0::5/32", "2001:db8::/32"],
		["::ffff:10.1.2.3/104", "10.0.0.0/8"],
		["::ffff:10.1.2.3", "10.1.2.3/32"],
		["0.0.0.0/0", "0.0.0.0/0"],
	])("%p counts as %p", (entry, network) => {
		const { base, bits } = readNetwork(entry) ?? {};
		expect(`${base?.toString()}/${bits}`).toBe(network);
	});
});

describe("a call", () => {
	const call = (address?: string): Identified => ({ address }) as unknown as Identified;
	const allowed = networksOf(["203.0.113.0/24"]);
	test("from a listed address passes", () => expect(refuseAddress(call("203.0.113.9"), allowed)).toBeUndefined());
	test("from another is refused without telling the list", () => {
		const denial = refuseAddress(call("198.51.100.9"), allowed);
		expect(denial).toMatchObject({ kind: "permission", code: "ip_not_allowed" });
		expect(denial?.message).not.toMatch(/\d+\.\d+/);
	});
	test("whose address is not known, or cannot be read, is refused", () => {
		for (const address of [undefined, "", "nonsense", "fe80::1%eth0"])
			expect(refuseAddress(call(address), allowed)?.code).toBe("ip_not_allowed");
	});
	test("of a token without a list, or with an empty one, passes from anywhere", () => {
		expect(refuseAddress(call(undefined), undefined)).toBeUndefined();
		expect(refuseAddress(call("198.51.100.9"), networksOf([]))).toBeUndefined();
	});
});
