/** A gateway whose calls go wrong, each in a way that operators meet. */
import { startGateway, startUpstream, type TestGateway } from "#core/testing";
import { until } from "../support/moved-clock.ts";
import { MovingClock } from "../support/moving-clock.ts";
import { printedBy } from "../support/printed.ts";
import type { Incident } from "./incident.ts";
import { refusing, type WrongCall, wrongCalls } from "./wrong-calls.ts";

export interface CallWorld {
	readonly gateway: TestGateway;
	readonly clock: MovingClock;
	/** Lets it go wrong in one of the ways of `callIncidents`. `call`: the request id of the last call, where that is what is told. */
	play(what: string): Promise<Incident & { readonly call?: string }>;
	stop(): Promise<void>;
}

/** Those that take more than one call. */
const longerIncidents = [
	"the same trouble again",
	"a caller that asks too fast",
	"a slow upstream",
	"a circuit that is open",
	"a key scan",
] as const;

type LongerIncident = (typeof longerIncidents)[number];

/** What goes wrong, in this order. */
export const callIncidents: readonly string[] = [...Object.keys(wrongCalls), ...longerIncidents];

const start = async (clock: MovingClock, upstream: { readonly url: string }): Promise<TestGateway> => {
	const to = (name: string, path: string) => ({
		name,
		protocol: "chat-completions",
		url: path.startsWith("/") ? `${upstream.url}${path}` : path,
		key: `sk-${name}-0123456789`,
	});
	const model = (name: string, ...targets: readonly string[]) => ({
		name,
		targets: targets.map((one) => ({ upstream: one, model: name === "unpriced" ? "nobody-knows-this" : "up" })),
	});
	return await startGateway({
		clock,
		plugins: [
			"tokens",
			"people",
			"console",
			"expiry",
			"ip-whitelist",
			"model-list",
			"rate-limit",
			"chat-completions",
			"ledger",
			"quota",
			{ use: "prices", with: { models: { up: { input: 1, output: 10 } } } },
			{
				use: "router",
				with: {
					upstreams: [
						to("main", "/v1"),
						to("nowhere", "http://127.0.0.1:1"),
						{ ...to("slow", "/slow"), firstByteSeconds: 20 },
						to("spare", "/spare"),
						to("failing", "/failing"),
					],
					models: [
						model("m", "main"),
						model("gone", "nowhere"),
						model("slow", "slow"),
						model("saved", "main", "spare"),
						model("failing", "failing"),
						model("unpriced", "main"),
					],
				},
			},
		],
	});
};

export const startCallWorld = async (): Promise<CallWorld> => {
	const clock = new MovingClock(Date.UTC(2026, 10, 22, 3));
	const upstream = startUpstream();
	const gateway = await start(clock, upstream);

	const asked = async (model: string, key = gateway.key): Promise<string> => {
		const response = await gateway.ask(
			"/v1/chat/completions",
			{ model, messages: [{ role: "user", content: "hello" }] },
			{ headers: { authorization: `Bearer ${key}` } },
		);
		await response.text();
		return response.headers.get("x-request-id") ?? "";
	};

	const ofCall = async (id: string, what: Pick<Incident, "says" | "printed" | "seen">) => ({
		call: id,
		told: await printedBy(gateway, "explain", id),
		page: `/console/calls/${id}`,
		...what,
	});

	const playCall = async ({ answer, model = "m", settings, prepare, key, ...what }: WrongCall) => {
		if (answer) upstream.answer(answer);
		const token = settings && (await gateway.token(settings(clock.now())));
		if (token) await prepare?.(gateway, token.id);
		await clock.move(61_000);
		return await ofCall(await asked(model, token?.key ?? key ?? gateway.key), what);
	};

	const longer: Readonly<Record<LongerIncident, () => ReturnType<CallWorld["play"]>>> = {
		async "the same trouble again"() {
			// Others fail meanwhile, and another thing there: neither is the same.
			await playCall({ answer: refusing(400, { message: "Your credit balance is too low" }), says: [] });
			const call: WrongCall = {
				answer: refusing(401, { message: "Incorrect API key provided" }),
				says: ["set another"],
			};
			await playCall(call);
			return {
				...(await playCall(call)),
				printed: ["the same since 2026-11-22T03:01:01.000Z: 3 calls"],
				seen: ["3 calls ended so, the first"],
			};
		},
		async "a caller that asks too fast"() {
			const { key } = await gateway.token({ name: "eager", rateLimit: { requestsPerMinute: 1 } });
			await clock.move(61_000);
			await asked("m", key);
			// Calls of one instant have no order.
			await clock.move(1_000);
			return await ofCall(await asked("m", key), { says: ["eager", "rate_limited", "Ask more slowly"] });
		},
		async "a slow upstream"() {
			upstream.answer(() => new Promise<Response>(() => undefined));
			upstream.received.length = 0;
			const call = asked("slow");
			await until(() => upstream.received.length > 0, "the call", 60_000);
			await clock.move(21_000);
			return await ofCall(await call, {
				says: ["upstream_timeout", "raise firstByteSeconds"],
				printed: ["slow:up"],
				seen: ["slow up failed: upstream_timeout"],
			});
		},
		async "a circuit that is open"() {
			upstream.answer(refusing(500, { message: "down" }));
			for (let call = 0; call < 5; call++) await asked("failing");
			return {
				told: await printedBy(gateway, "explain", "--model", "failing"),
				page: "/console/models",
				says: ["failing", "down", "The upstream itself fails: try again later, or add a target beside it."],
				printed: [
					"1. failing:up (only), circuit open",
					"failed 5 times in a row since 2026-11-22T03",
					"left alone for 5 s",
				],
				seen: ["upstream (500)", "Left alone, 5 s more"],
			};
		},
		async "a key scan"() {
			await clock.move(61_000);
			for (let call = 0; call < 30; call++) {
				await asked("m", `sk-guess-${call}`.padEnd(52, "0"));
				await clock.move(100);
			}
			await clock.move(61_000);
			const list = await printedBy(gateway, "calls", "--ending", "refused", "--limit", "1");
			const [id = ""] = /req_\w+/.exec(list) ?? [];
			return {
				...(await ofCall(id, {
					says: ["from 127.0.0.1", "authentication", "10 times within a minute", "No token has this key"],
				})),
				list: { page: "/console/calls?ending=refused", seen: ["authentication ×10", "from 127.0.0.1"], told: list },
			};
		},
	};

	return {
		gateway,
		clock,
		play(what) {
			const call = wrongCalls[what];
			if (call) return playCall(call);
			const played = longerIncidents.find((one) => one === what);
			if (!played) throw new Error(`nobody plays ${what}`);
			return longer[played]();
		},
		async stop() {
			await gateway.stop();
			await upstream.stop();
		},
	};
};
