/** Checks names and passwords, slowly on purpose, and the same for names that nobody has. */
import { type Admitted, deny, Fault, hashPassword, type Store, verifyPassword } from "#core";
import type { Candidate, Directory } from "./directory.ts";
import { type Failures, isBusy, networkOf } from "./failures.ts";
import { nameKey } from "./person.ts";
import { newSecret } from "./secret.ts";
import type { Sessions } from "./sessions.ts";
import type { Turns } from "./sign-in-limit.ts";

/** Also for a password that was right until it was set anew. */
export const signInRefused = deny("authentication", "The name or the password is wrong.", { code: "sign_in_refused" });

interface SignInParts {
	readonly store: Store;
	readonly directory: Directory;
	readonly sessions: Sessions;
	readonly failures: Failures;
	readonly turns: Turns;
}

export class SignIn {
	private readonly parts: SignInParts;
	/** Checked for names that nobody has, so that their answer takes as long. */
	private nobody: Promise<string> | undefined;

	constructor(parts: SignInParts) {
		this.parts = parts;
	}

	hash(password: string): Promise<string> {
		return this.parts.turns.take(() => hashPassword(password));
	}

	/** The person of that name and password, with the password as it is stored. Throws `Fault`. */
	async check(call: Admitted, name: string, password: string): Promise<Candidate> {
		const { store, directory, sessions, failures } = this.parts;
		const candidate = await directory.candidate(name);
		const from = `address:${networkOf(call.address)}`;
		const who = `person:${nameKey(name).slice(0, 64)}`;
		const known = candidate !== undefined && (await sessions.knows(candidate.person.id, call.address));
		for (const subject of known ? [from] : [from, who]) {
			const denial = await failures.begin(subject);
			if (denial) throw new Fault(denial);
		}
		const right = await this.matches(password, candidate?.password).catch(async (error: unknown) => {
			if (isBusy(error)) await failures.undo(known ? [from] : [from, who]);
			throw error;
		});
		if (!right || !candidate || candidate.person.disabled) throw new Fault(signInRefused);
		await store.write(failures.succeeded(who, from));
		return candidate;
	}

	private matches(password: string, stored: string | undefined): Promise<boolean> {
		return this.parts.turns.take(async () => {
			this.nobody ??= hashPassword(newSecret());
			return await verifyPassword(password, stored ?? (await this.nobody));
		});
	}
}
