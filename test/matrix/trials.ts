/** The trials of many exchanges. */
import { asRecord, asText, type Protocol, parseJson } from "#core";
import { type ProtocolName, type Recording, recordings } from "../support/recordings.ts";
import type { Checks } from "../support/schemas.ts";
import { readAnswer, readStream } from "./clients.ts";
import { tryHistory } from "./history.ts";
import type { Raised, Told } from "./told.ts";
import { eventsOf } from "./translate.ts";
import { type Pair, type Trial, tryExchange, tryRefusal } from "./trial.ts";

export interface Choice {
	readonly client?: string | undefined;
	readonly upstream?: string | undefined;
	/** Which recordings; all of them unless given. */
	readonly of?: (recording: Recording) => boolean;
}

/** What the exchange's own client makes of what was recorded. */
export const ownTold = (recording: Recording): Promise<Told | Raised> => {
	const { answer, protocol } = recording;
	if (answer.form === "json") return readAnswer(protocol, answer.value);
	// framings differ between sources, and the client is not what is on trial here
	const named = protocol === "messages" || protocol === "responses";
	const text = eventsOf(answer)
		.map(({ data, name = nameIn(data) }) => (named && name ? `event: ${name}\ndata: ${data}\n\n` : `data: ${data}\n\n`))
		.join("");
	return readStream(protocol, text);
};

const nameIn = (data: string): string | undefined => asText(asRecord(parseJson(data))["type"]);

/** Every exchange of each upstream, for clients of every other protocol. */
export async function* trialsOf(
	protocols: ReadonlyMap<ProtocolName, Protocol>,
	checks: Readonly<Record<ProtocolName, Checks>>,
	choice: Choice = {},
): AsyncGenerator<Trial> {
	for (const [name, upstream] of protocols) {
		if (choice.upstream && choice.upstream !== name) continue;
		const clients = [...protocols.values()].filter(
			(client) => client !== upstream && (!choice.client || choice.client === client.name),
		);
		for (const recording of recordings(name)) {
			if (choice.of?.(recording) === false) continue;
			yield* await tryFor(clients, { upstream, checks }, recording);
		}
	}
}

const tryFor = async (
	clients: readonly Protocol[],
	pair: Omit<Pair, "client">,
	recording: Recording,
): Promise<readonly Trial[]> => {
	const trials: Trial[] = [];
	const want = await ownTold(recording);
	for (const client of clients) {
		if (recording.status >= 400) trials.push(await tryRefusal({ ...pair, client }, recording));
		else {
			trials.push(...(await tryExchange({ ...pair, client }, recording, want)));
			if (recording.answer.form === "json") trials.push(...tryHistory({ ...pair, client }, recording, clients));
		}
	}
	return trials;
};
