/** Tells the upstream that keeps an answer too that it is to be forgotten. */
import { type Clock, deny, Fault, isFault, type Log, type Router } from "#core";
import { protocolName } from "../name.ts";
import { wire } from "../upstream/wire.ts";
import type { KeptAt } from "./answer-writes.ts";

const patienceMs = 15_000;

/** Throws `Fault` when the upstream was asked and did not do it: the answer is to stay known here, so that it can be tried again. */
export type TellUpstream = (id: string, keptAt: KeptAt, callId: string) => Promise<void>;

/** It did, has none of that id, or knows no deleting. */
const isDone = ({ ok, status }: Response): boolean => ok || status === 404 || status === 405 || status === 501;

const notDeleted = (cause?: unknown): Fault =>
	new Fault(
		deny("upstream", "The upstream that keeps this response too could not be told to delete it. Try again."),
		cause,
	);

export const createTeller =
	(router: Router | undefined, clock: Clock, log: Log): TellUpstream =>
	async (id, { model, upstream: name }, callId) => {
		const upstream = router?.plan(model)?.targets.find((target) => target.upstream.name === name)?.upstream;
		if (!upstream) {
			log.warn("a response was deleted here; the upstream that keeps it too is not configured any more", {
				upstream: name,
				response: id,
			});
			return;
		}
		const message = { method: "DELETE", path: `/responses/${encodeURIComponent(id)}`, headers: {}, body: "" } as const;
		const abort = new AbortController();
		const options = { protocol: protocolName, wire, abort, stream: false, callId };
		const cancel = clock.after(patienceMs, () => abort.abort());
		try {
			const response = await upstream.send(message, options);
			await response.body?.cancel();
			if (!isDone(response)) throw notDeleted();
		} catch (error) {
			throw isFault(error) ? error : notDeleted(error);
		} finally {
			cancel();
		}
	};
