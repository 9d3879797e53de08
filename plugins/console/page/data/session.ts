/** Who is signed in, as far as this page knows. The session itself is a cookie that no script can read. */
import { signal } from "@preact/signals";
import { call, Refusal } from "./call.ts";
import { text, type Wire } from "./read.ts";

export interface Person {
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

/** The server knows nobody any more: the page asks to sign in. */
export const forget = (): void => {
	person.value = null;
};

/** Throws `Refusal` when the server cannot say. */
export const findSession = async (): Promise<void> => {
	const answer = await call("GET", "/v1/session");
	person.value = answer["signedIn"] === true ? personIn(answer) : null;
};

/** Throws `Refusal`. */
export const signIn = async (name: string, password: string): Promise<void> => {
	person.value = personIn(await call("POST", "/v1/session", { name, password }));
};

/** The admin token is sent once and kept nowhere. Throws `Refusal`. */
export const signInWithAdminToken = async (token: string): Promise<void> => {
	person.value = personIn(await call("POST", "/admin/session", undefined, { authorization: `Bearer ${token}` }));
};

/** Throws `Refusal`. */
export const join = async (secret: string, name: string, password: string): Promise<void> => {
	person.value = personIn(await call("POST", "/v1/session/join", { secret, name, password }));
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
	forget();
};
