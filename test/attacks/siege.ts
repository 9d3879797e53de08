/** A process of its own: all attacks at once, each kind in a loop, and the upstream that they are made with. */
import { attacks, pause, type Siege } from "./siege-attacks.ts";
import { startSiegeUpstream } from "./siege-upstream.ts";

/** What the process is told: to begin, or to say what it did once each kind was made. */
type SiegeOrder = { readonly begin: Siege } | { readonly end: true };

/** How often each kind of attack was made, and what failed in it: a connection that was cut is no failure. */
export type SiegeTold = Readonly<Record<string, { readonly rounds: number; readonly cut: number }>>;

/** Between two rounds of one kind: who keeps a machine busy with mere calls needs none of these. */
const restMs = 250;

const told: Record<string, { rounds: number; cut: number }> = {};

const attackOn = async (name: string, siege: Siege): Promise<never> => {
	const done = { rounds: 0, cut: 0 };
	told[name] = done;
	for (;;) {
		try {
			await attacks[name]?.(siege);
		} catch {
			done.cut++;
		}
		done.rounds++;
		await pause(restMs);
	}
};

/** On a slow machine the first round of one kind may outlast the watch. */
const eachWasMade = async (): Promise<void> => {
	while (Object.values(told).some(({ rounds }) => rounds === 0)) await pause(50);
};

process.on("message", async (order: SiegeOrder) => {
	if ("begin" in order) for (const name of Object.keys(attacks)) void attackOn(name, order.begin);
	else {
		await eachWasMade();
		process.send?.(told satisfies SiegeTold);
	}
});

const { url } = await startSiegeUpstream();
process.send?.({ url });
