/** A task as the server shows it. */
import { asWire, number, text, time, type Wire, wires } from "../data/read.ts";
import type { Tone } from "../parts/state.tsx";

export interface Task {
	readonly id: string;
	readonly kind: string;
	readonly model: string;
	readonly status: string;
	readonly progress: string;
	readonly prompt: string;
	readonly token: string | undefined;
	readonly tokenName: string | undefined;
	readonly files: readonly { readonly role: string; readonly url: string }[];
	/** Of one that failed: the word for why, and the sentence. */
	readonly code: string | undefined;
	readonly failure: string | undefined;
	/** What is to be done about it. */
	readonly advice: string | undefined;
	/** Where it stands while it is open. */
	readonly standing: string | undefined;
	/** Who does it; not told to members. */
	readonly upstream: string | undefined;
	readonly callbackUrl: string | undefined;
	readonly submittedAt: number | undefined;
	readonly startedAt: number | undefined;
	readonly finishedAt: number | undefined;
}

export const taskOf = (wire: Wire): Task => ({
	id: text(wire, "id") ?? "",
	kind: text(wire, "kind") ?? "",
	model: text(wire, "model") ?? "",
	status: text(wire, "status") ?? "",
	progress: text(wire, "progress") ?? String(number(wire, "progress") ?? ""),
	prompt: text(wire, "prompt") ?? "",
	token: text(wire, "token") ?? text(wire, "owner"),
	tokenName: text(wire, "tokenName") ?? text(wire, "token_name"),
	files: wires(asWire(wire["output"]), "files").map((file) => ({
		role: text(file, "role") ?? "file",
		url: text(file, "url") ?? "",
	})),
	advice: text(wire, "advice"),
	standing: text(wire, "standing"),
	code: text(asWire(wire["error"]), "code"),
	failure: text(asWire(wire["error"]), "message"),
	upstream: text(wire, "upstream"),
	callbackUrl: text(wire, "notifyHook") || undefined,
	submittedAt: time(wire, "created_at", "createdAt", "submittedAt"),
	startedAt: time(wire, "started_at", "startedAt"),
	finishedAt: time(wire, "finished_at", "finishedAt"),
});

export const statuses: Readonly<Record<string, readonly [word: string, tone: Tone]>> = {
	NOT_START: ["Waiting", "off"],
	IN_PROGRESS: ["Running", "busy"],
	SUCCESS: ["Done", "good"],
	FAILURE: ["Failed", "stop"],
};
