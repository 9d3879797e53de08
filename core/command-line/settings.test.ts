import { describe, expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { commandOf, readInvocation } from "./settings.ts";

describe("what a command is called with", () => {
	test("options of every command are taken wherever they stand, the rest are its words", () => {
		const words = ["token", "--config=a.yaml", "list", "--port", "0", "--json", "--workers", "3"];
		expect(readInvocation(words, {})).toEqual({
			file: "a.yaml",
			elsewhere: true,
			port: 0,
			workers: 3,
			words: ["token", "list", "--json"],
			environment: {},
		});
	});

	test("words count more than the environment", () => {
		const environment = { PORTICO_PORT: "1", PORTICO_CONFIG: "b.yaml" };
		expect(readInvocation([], environment)).toMatchObject({ file: "b.yaml", port: 1 });
		expect(readInvocation(["-c", "c.yaml", "--port=2"], environment)).toMatchObject({ file: "c.yaml", port: 2 });
	});

	test("what Kubernetes tells of a Service called portico is no port", () => {
		const environment = { PORTICO_PORT: "tcp://10.96.3.4:80", PORTICO_SERVICE_HOST: "10.96.3.4" };
		expect(readInvocation([], environment)).not.toHaveProperty("port");
	});

	test("what is printed to be typed names the config where it would not be found", () => {
		const named = (words: readonly string[], environment = {}) =>
			commandOf(readInvocation(words, environment), "token list");
		expect(named(["--config", "my config.yaml"])).toBe("portico token list --config 'my config.yaml'");
		expect(named(["--config", "b.yaml"], { PORTICO_CONFIG: "c.yaml" })).toBe("portico token list --config b.yaml");
		expect(named(["--config", "b.yaml"], { PORTICO_CONFIG: "b.yaml" })).toBe("portico token list");
		expect(named([], { PORTICO_CONFIG: "b.yaml" })).toBe("portico token list");
		// The tests run beside `config/portico.yaml`.
		expect(named(["--config", resolve("config/portico.yaml")])).toBe("portico token list");
		expect(named([])).toBe("portico token list");
	});

	test("auto is as many workers as there are cores", () => {
		expect(readInvocation(["--workers", "auto"], {}).workers).toBe(availableParallelism());
	});

	test("how it logs can be said", () => {
		const words = ["serve", "--log-level", "warn", "--log-format=text"];
		expect(readInvocation(words, {})).toMatchObject({ logLevel: "warn", logFormat: "text", words: ["serve"] });
	});

	test.each([
		[["--port", "65536"], 'the port must be a number from 0 to 65535, not "65536"'],
		[["--port", ""], 'the port must be a number from 0 to 65535, not ""'],
		[["--port"], "--port needs a value"],
		[["--log-level", "inof"], '--log-level must be one of debug, info, warn, error, not "inof" (did you mean "info"?)'],
		[["--log-format", "xml"], '--log-format must be one of json, text, not "xml"'],
		[["--workers", "0"], '--workers, when it is not auto, must be a number from 1 to 256, not "0"'],
		[["--workers", "2.5"], '--workers, when it is not auto, must be a number from 1 to 256, not "2.5"'],
	])("%j is refused", (words, message) => {
		expect(() => readInvocation(words, {})).toThrow(message);
	});
});
