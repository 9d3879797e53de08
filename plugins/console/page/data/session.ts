/** Who is signed in, as far as this page knows. The session itself is a cookie that no script can read. */
import { signal } from "@preact/signals";
import { call, Refusal } from "./call.ts";
import { outlivesSession } from "./kept.ts";
import { text, type Wire } from "./read.ts";

interface Person {
	readonly id: string;
	readonly name: string;
	readonly role: "admin" | "member";
}

/** Undefined: not asked yet; null: nobody. */
export const person = signal<Person | null | undefined>(undefined);

const personIn = (answer: Wire): Person => ({
	id: text(answer, "id") ?? "",
	name: text(answer, "name") ?? "signed in",
	role: text(answer, "role") === "member" ? "member" : "admin",
});

export const isAdmin = (): boolean => person.value?.role === "admin";

/** Their session is over, and what they wrote or are shown stays behind the question who sits there. */
export const sessionOver = signal(false);

const enter = (answer: Wire): void => {
	person.value = personIn(answer);
	sessionOver.value = false;
};

const leave = (): void => {
	person.value = null;
	sessionOver.value = false;
};

/** The server knows nobody any more: the page asks to sign in. */
export const forget = (): void => {
	if (person.value && outlivesSession()) sessionOver.value = true;
	else leave();
};

/** Throws `Refusal` when the server cannot say. */
export const findSession = async (): Promise<void> => {
	const answer = await call("GET", "/v1/session");
	if (answer["signedIn"] === true) enter(answer);
	else forget();
};

/** Throws `Refusal`. */
export const signIn = async (name: string, password: string): Promise<void> => {
	enter(await call("POST", "/v1/session", { name, password }));
};

/** The admin token is sent once and kept nowhere. Throws `Refusal`. */
export const signInWithAdminToken = async (token: string): Promise<void> => {
	enter(await call("POST", "/admin/session", undefined, { authorization: `Bearer ${token}` }));
};

/** What a link is for: `name` is whose password it sets. Throws `Refusal`. */
export const invitationOf = async (secret: string): Promise<{ readonly name: string | undefined }> => ({
	name: text(await call("POST", "/v1/session/invitation", { secret }), "name"),
});

/** Throws `Refusal`. */
export const join = async (secret: string, name: string, password: string): Promise<void> => {
	enter(await call("POST", "/v1/session/join", { secret, name, password }));
};

/** Whoever signed in with the admin token is nobody in particular, and has no password. */
export const isSomebody = (): boolean => person.value?.id.startsWith("per_") === true;

/** All other sessions of the person end. Throws `Refusal`. */
export const changePassword = async (password: string, newPassword: string): Promise<void> => {
	await call("POST", "/v1/session/password", { password, newPassword });
};

/** Throws `Refusal`. */
export const signOut = async (everywhere = false): Promise<void> => {
	try {
		await call("DELETE", `/v1/session${everywhere ? "?everywhere=true" : ""}`);
	} catch (error) {
		if (!(error instanceof Refusal) || error.status !== 401) throw error;
	}
	leave();
};
