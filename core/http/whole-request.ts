/** A request of an operator once all of it has come. */
import { readBytes } from "../wire/body.ts";
import { bodyLimitBytes } from "./json.ts";

/** The same request with its body at hand; itself where it has none. Throws `Fault` as `readBytes` does. */
export const wholeRequest = async (request: Request): Promise<Request> => {
	if (request.body === null) return request;
	const bytes = await readBytes(request, bodyLimitBytes);
	const headers = new Headers(request.headers);
	headers.delete("content-encoding");
	const { method, signal } = request;
	return new Request(request.url, { method, headers, signal, body: bytes as NonNullable<RequestInit["body"]> });
};
