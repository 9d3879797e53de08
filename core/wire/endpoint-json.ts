/** What dialects that speak JSON have in common: the body of a request, the message of one, the key as a bearer. */
import type { EndpointRequest } from "../contract/endpoint.ts";
import type { UpstreamMessage } from "../contract/upstream-side.ts";
import type { WireRecord } from "../neutral/json.ts";

/** The body of a dialect that speaks JSON. */
export const jsonOf = ({ body }: Pick<EndpointRequest, "body">): WireRecord =>
	body.type === "json" ? body.json.value : {};

/** The bytes of the body: a model's token stands for at least one of them. */
export const bytesIn = ({ body }: Pick<EndpointRequest, "body">): number =>
	body.type === "json" ? body.json.bytes.length : body.form.bytes.length;

export const jsonMessage = (path: string, body: WireRecord): UpstreamMessage => ({
	path,
	headers: { "content-type": "application/json" },
	body: JSON.stringify(body),
});

/** How most vendors get their key. */
export const bearer = (key: string | undefined): Readonly<Record<string, string>> =>
	key === undefined ? {} : { authorization: `Bearer ${key}` };
