/** What the tests of callbacks begin with: outboxes and receivers that are closed after each test. */

import { until } from "./moved-clock.ts";
import { createOutbox, type Outbox, type OutboxOptions } from "./outbox.ts";
import { type Answer, type Receiver, startReceiver } from "./receiver.ts";

const open: { close(): Promise<void> | void }[] = [];

/** For `afterEach`. */
export const closeAll = async (): Promise<void> => {
	for (const one of open.splice(0).reverse()) await one.close();
};

/** Has something more closed after the test. */
export const closeLater = (one: { close(): Promise<void> | void }): void => {
	open.push(one);
};

export const outbox = async (options: OutboxOptions = {}): Promise<Outbox> => {
	const made = await createOutbox(options);
	open.push(made);
	return made;
};
export const receiver = async (answer?: Answer): Promise<Receiver> => {
	const made = await startReceiver(answer);
	open.push(made);
	return made;
};

/** Puts one thing and lets its first attempt end. */
export const deliverOnce = async (box: Outbox, url: string): Promise<void> => {
	await box.put("t1", url);
	await box.tick();
	await until(async () => {
		const [delivery] = await box.deliveries("t1");
		return (delivery?.attempts.length ?? 0) > 0;
	}, "the first attempt");
};

/** The one delivery of a thing. */
export const only = async (box: Outbox, id = "t1") => {
	const [delivery] = await box.deliveries(id);
	if (!delivery) throw new Error("no delivery");
	return delivery;
};
