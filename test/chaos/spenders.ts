/** Who spends: a token with a quota of its own, and persons who have joined and made tokens for themselves. */
import type { Account } from "./database.ts";
import { adminToken } from "./node.ts";

/** The account that is spent from, the keys that do, and how the amount is changed. */
export interface Spender extends Account {
	readonly keys: readonly string[];
	readonly path: string;
	readonly field: "quota" | "ceiling";
}

interface Issued {
	readonly id: string;
	readonly key: string;
}

/** The database loses requests and answers; what was lost is asked again, from the start. */
const patiently = async <T>(work: (attempt: number) => Promise<T>): Promise<T> => {
	for (let attempt = 0; ; attempt++) {
		try {
			return await work(attempt);
		} catch (error) {
			if (attempt === 20) throw error;
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
	}
};

const post = async (url: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<Response> => {
	const response = await fetch(url, {
		method: "POST",
		headers: { "content-type": "application/json", ...headers },
		body: JSON.stringify(body),
	});
	if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
	return response;
};

const asAdmin = { authorization: `Bearer ${adminToken}` };

export const issueToken = (address: string): Promise<Spender> =>
	patiently(async () => {
		const answer = await post(`${address}/admin/tokens`, { name: "chaos", quota: 0 }, asAdmin);
		const { id, key } = (await answer.json()) as Issued;
		return { account: id, tokens: [id], keys: [key], path: `/admin/tokens/${id}`, field: "quota" };
	});

/** Invited with a ceiling of nothing, joined, and with so many tokens that have no quota of their own. */
export const joinPerson = async (address: string, name: string, amount: number): Promise<Spender> => {
	const person = await patiently(async (attempt) => {
		const invited = await post(`${address}/admin/invitations`, { role: "member", ceiling: 0 }, asAdmin);
		const { link } = (await invited.json()) as { link: string };
		// An answer that was lost may have left somebody of this name behind.
		const joins = { secret: link.split("#")[1], name: `${name} ${attempt}`, password: "a few words of chaos" };
		const joined = await post(`${address}/v1/session/join`, joins, { origin: address });
		const { id } = (await joined.json()) as { id: string };
		return { id, cookie: joined.headers.get("set-cookie")?.split(";")[0] ?? "" };
	});
	const issued: Issued[] = [];
	for (let index = 0; index < amount; index++)
		issued.push(
			await patiently(async () => {
				const headers = { origin: address, cookie: person.cookie };
				const answer = await post(`${address}/admin/tokens`, { name: `${name} ${index}` }, headers);
				return (await answer.json()) as Issued;
			}),
		);
	return {
		account: `person:${person.id}`,
		tokens: issued.map(({ id }) => id),
		keys: issued.map(({ key }) => key),
		path: `/admin/people/${person.id}`,
		field: "ceiling",
	};
};
