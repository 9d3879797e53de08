/** An endpoint: rerank as Cohere has it, passed through, metered by searches. */
import {
	add,
	asList,
	asRecord,
	asText,
	bearer,
	type Dialect,
	definePlugin,
	endpoints,
	Fault,
	jsonOf,
	openAiFailure,
	renderOwnDenial,
	t,
} from "#core";

const cohere: Dialect = {
	name: "cohere",
	paths: ["/v1/stranger-rerank"],
	body: "json",
	renderDenial: renderOwnDenial,
	read(request) {
		const { model, query, documents } = jsonOf(request);
		if (typeof model !== "string" || typeof query !== "string")
			throw new Fault({ kind: "invalid_request", message: "Send a model and a query." });
		const texts = [query, ...asList(documents).map((one) => asText(one) ?? asText(asRecord(one)["text"]) ?? "")];
		// One search covers a hundred documents; more cost more.
		const units = { searches: Math.ceil((texts.length - 1) / 100) };
		return { model, stream: false, texts, bound: { inputTokens: 0, outputTokens: 0, units } };
	},
	path: () => "/rerank",
	headers: bearer,
	decodeError: openAiFailure,
	observe(body) {
		// What is no number counts as not told: then what was held is charged.
		const searches = Number(asRecord(asRecord(asRecord(body)["meta"])["billed_units"])["search_units"]);
		return { input: { total: 0 }, output: { total: 0 }, units: { searches } };
	},
};

export default definePlugin({
	name: "stranger-rerank",
	summary: "Ranks documents by how well they answer a question.",
	config: t.Object({}, { additionalProperties: false }),
	gives: [endpoints],
	setup: () => ({
		offers: [add(endpoints, { name: "stranger-rerank", usual: "cohere", defaults: {}, dialects: [cohere] })],
	}),
});
