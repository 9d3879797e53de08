/** How an upstream of this protocol tells its models. */
import { asCount, asList, asRecord, asText, definedOnly, type ListedModel, type ModelQuestion } from "#core";

export const models: ModelQuestion = {
	path: "/models?pageSize=1000",
	decode: (body) =>
		asList(asRecord(body)["models"]).flatMap((value): ListedModel[] => {
			const model = asRecord(value);
			const name = asText(model["name"])?.replace(/^models\//, "");
			const known = {
				contextWindow: asCount(model["inputTokenLimit"]),
				maxOutput: asCount(model["outputTokenLimit"]),
				embeds: asList(model["supportedGenerationMethods"]).includes("embedContent") || undefined,
			};
			return name ? [{ name, ...definedOnly(known) }] : [];
		}),
};
