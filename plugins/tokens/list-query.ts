/** Which tokens a list is to show. */
import { invalidParameter, pageLimit } from "#core";

export const listQuery = (url: URL): { limit: number; after?: string; name?: string } => {
	const limit = pageLimit(url.searchParams, 100, 1000);
	const after = url.searchParams.get("after");
	const name = url.searchParams.get("name");
	if (name !== null && name.length > 64) throw invalidParameter("name", "name may have at most 64 characters.");
	return { limit, ...(after !== null && { after }), ...(name !== null && { name }) };
};
