/** A protocol of one's own, for clients and upstreams. */
import { add, definePlugin, protocols, t } from "#core";
import { client } from "./client.ts";
import { facts } from "./facts.ts";
import { passthrough } from "./passing.ts";
import { upstream } from "./upstream.ts";
import { protocolName } from "./wire.ts";

export default definePlugin({
	name: protocolName,
	summary: "Speaks a protocol of its own with clients and with upstreams.",
	config: t.Object({}, { additionalProperties: false }),
	gives: [protocols],
	setup: () => ({ offers: [add(protocols, { name: protocolName, client, upstream, passthrough, facts })] }),
});
