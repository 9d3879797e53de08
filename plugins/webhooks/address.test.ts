import { describe, expect, test } from "bun:test";
import { checkAddress } from "./address.ts";

const strict = { allowPrivateNetworks: false, httpsOnly: false };
const answer = (url: string, rules = strict): string => {
	const checked = checkAddress(url, rules);
	return "url" in checked ? checked.url : (checked.code ?? "");
};
const refused = "callback_url_not_allowed";
const wrong = "invalid_callback_url";

describe("the text of a callback address", () => {
	const table: readonly (readonly [given: string, answer: string])[] = [
		["https://example.org/hook", "https://example.org/hook"],
		["http://example.org", "http://example.org/"],
		["HTTPS://Example.ORG:8443/a/b?c=d&e=%20", "https://example.org:8443/a/b?c=d&e=%20"],
		[" https://example.org/x ", "https://example.org/x"],
		["https://example.org/x#fragment", "https://example.org/x"],
		["https://b\u00fccher.example/", "https://xn--bcher-kva.example/"],
		["https://8.8.8.8/x", "https://8.8.8.8/x"],
		["https://[2606:4700::1111]/x", "https://[2606:4700::1111]/x"],
		["not a url", wrong],
		["/relative", wrong],
		["", wrong],
		["ftp://example.org/", wrong],
		["javascript:alert(1)", wrong],
		["file:///etc/passwd", wrong],
		["data:text/plain,x", wrong],
		["https://user:password@example.org/", wrong],
		["https://user@example.org/", wrong],
		["http://example.org:22/", wrong],
		["http://example.org:25/", wrong],
		["http://example.org:0/", wrong],
		["http://example.org:99999/", wrong],
		[`https://example.org/${"a".repeat(2000)}`, wrong],
		["http://127.0.0.1/", refused],
		["http://127.0.0.1:9999/x", refused],
		["http://127.1/", refused],
		["http://0x7f.1/", refused],
		["http://0177.0.0.1/", refused],
		["http://2130706433/", refused],
		["http://127\u30020\u30020\u30021/", refused],
		["http://0.0.0.0/", refused],
		["http://0/", refused],
		["http://10.0.0.1/", refused],
		["http://100.64.0.1/", refused],
		["http://100.100.100.200/", refused],
		["http://169.254.169.254/latest/meta-data", refused],
		["http://168.63.129.16/", refused],
		["http://172.16.0.1/", refused],
		["http://172.31.255.255/", refused],
		["http://192.168.1.1/", refused],
		["http://192.0.0.1/", refused],
		["http://198.18.0.1/", refused],
		["http://203.0.113.5/", refused],
		["http://224.0.0.1/", refused],
		["http://255.255.255.255/", refused],
		["http://[::]/", refused],
		["http://[::1]/", refused],
		["http://[::ffff:127.0.0.1]/", refused],
		["http://[::ffff:10.0.0.1]/", refused],
		["http://[::127.0.0.1]/", refused],
		["http://[64:ff9b::7f00:1]/", refused],
		["http://[64:ff9b:1::1]/", refused],
		["http://[2002:7f00:1::]/", refused],
		["http://[2001::1]/", refused],
		["http://[2001:db8::1]/", refused],
		["http://[3fff::1]/", refused],
		["http://[5f00::1]/", refused],
		["http://[fc00::1]/", refused],
		["http://[fd00:ec2::254]/", refused],
		["http://[fe80::1]/", refused],
		["http://[fec0::1]/", refused],
		["http://[::5efe:7f00:1]/", refused],
		["http://[100:0:0:1::1]/", refused],
		["http://[3ffe::1]/", refused],
		["http://[4000::1]/", refused],
		["http://[ff02::1]/", refused],
		["http://localhost/", refused],
		["http://localhost:3000/x", refused],
		["http://localhost./", refused],
		["http://LOCALHOST/", refused],
		["http://a.localhost/", refused],
		["http://metadata.google.internal/", refused],
		["http://printer.local/", refused],
		["http://router.lan/", refused],
		["http://nas.home.arpa/", refused],
		["http://intranet/", refused],
	];
	test.each(table)("%s gives %s", (given, expected) => expect(answer(given)).toBe(expected));

	test("what is refused for its address is told in one constant sentence", () => {
		const messages = ["http://127.0.0.1/", "http://10.1.2.3:8080/secret", "http://localhost/"].map((url) => {
			const checked = checkAddress(url, strict);
			return "message" in checked ? checked.message : "";
		});
		expect(new Set(messages).size).toBe(1);
		expect(messages[0]).not.toContain("10.1");
	});

	test("private networks may be allowed, other rules stay", () => {
		const open = { ...strict, allowPrivateNetworks: true };
		expect(answer("http://127.0.0.1:8080/x", open)).toBe("http://127.0.0.1:8080/x");
		expect(answer("http://receiver:8080/x", open)).toBe("http://receiver:8080/x");
		expect(answer("http://127.0.0.1:9/x", open)).toBe("http://127.0.0.1:9/x");
		expect(answer("http://127.0.0.1:0/x", open)).toBe(wrong);
		expect(answer("ftp://127.0.0.1/", open)).toBe(wrong);
	});

	test("plain http may be refused", () => {
		const rules = { ...strict, httpsOnly: true };
		expect(answer("http://example.org/", rules)).toBe(wrong);
		expect(answer("https://example.org/", rules)).toBe("https://example.org/");
	});
});
