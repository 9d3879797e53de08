/** Which tokens a list is to show. */
import { deny, Fault } from "#core";

export const listQuery = (url: URL): { limit: number; after?: string; name?: string } => {
	const limit = Number(url.searchParams.get("limit") ?? 100);
	const after = url.searchParams.get("after");
	const name = url.searchParams.get("name");
	if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
		throw new Fault(deny("invalid_request", "limit must be a whole number from 1 to 1000.", { parameter: "limit" }));
	if (name !== null && name.length > 64)
		throw new Fault(deny("invalid_request", "name may have at most 64 characters.", { parameter: "name" }));
	return { limit, ...(after !== null && { after }), ...(name !== null && { name }) };
};
