/** Google's Gemini API, for clients and for upstreams: `/v1beta/models/{model}:generateContent` and its kin. */
import { add, definePlugin, protocols, t } from "#core";
import { generateContent } from "./protocol.ts";

export default definePlugin({
	name: "generate-content",
	summary: "Speaks Google's Gemini API with clients and with upstreams.",
	config: t.Object({}, { additionalProperties: false }),
	gives: [protocols],
	setup: () => ({ offers: [add(protocols, generateContent)] }),
});
