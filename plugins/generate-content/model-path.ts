/** Models and verbs in addresses: `/v1beta/models/{model}:{verb}`. */
import { Fault, type Operation, remembering } from "#core";

/**
 * What stands before `/models/` where Google's clients ask: Gemini, or Vertex AI for whatever project and location. A base
 * address that already holds a version is a common slip: the official client adds its own, and LiteLLM none.
 */
export const roots = [
	...["", "/v1beta", "/v1", "/v1alpha", "/v1/v1beta", "/v1beta/v1", "/v1beta/v1beta"],
	...["/v1beta1", "/v1"].flatMap((version) => [
		`${version}/publishers/google`,
		`${version}/projects/:project/locations/:location/publishers/google`,
	]),
];

/** What may stand after the last colon, and what it does. */
export const verbs: Readonly<Record<string, { readonly operation: Operation; readonly stream: boolean }>> = {
	generateContent: { operation: "generate", stream: false },
	streamGenerateContent: { operation: "generate", stream: true },
	countTokens: { operation: "count_tokens", stream: false },
};

/** What Google's own service does besides, and what to do in its place. */
const instead: ReadonlyMap<string, string> = new Map([
	["batchGenerateContent", "send each request by itself"],
	["asyncBatchEmbedContent", "send each request by itself"],
	["predict", "ask a model that makes pictures by :generateContent, or by POST /v1/images/generations"],
]);

/** The verb that does so. */
export const verbFor = (operation: Operation, stream: boolean): string =>
	operation === "count_tokens" ? "countTokens" : stream ? "streamGenerateContent" : "generateContent";

export interface ModelPath {
	readonly model: string;
	readonly verb: string;
}

const notFound = (message: string): Fault => new Fault({ kind: "not_found", message });

const decoded = (tail: string): string => {
	try {
		return decodeURIComponent(tail);
	} catch {
		throw notFound(
			"The address is not properly percent-encoded; write the model's name as GET /v1beta/models lists it.",
		);
	}
};

/** Names that could be read as another address: dots as a step of a path, empty steps, control characters. */
const isStrange = (model: string): boolean =>
	model === "" ||
	model.length > 512 ||
	// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must not be in a name
	/[\u0000-\u001f\u007f\\?#%]/.test(model) ||
	model.split("/").some((step) => step === "" || step === "." || step === "..");

const checked = (name: string): string => {
	const model = name.replace(/^models\//, "");
	if (isStrange(model)) throw notFound("The address names no model; write its name as GET /v1beta/models lists it.");
	return model;
};

/** The model that an address names, `tail` being what stands between `/models/` and the verb. Throws `Fault` (`not_found`). */
export const readModelName = (tail: string): string => checked(decoded(tail));

/** The model and verb that the end of an address names, `tail` being what follows `/models/`. Throws `Fault` (`not_found`). */
export const readModelPath = remembering((tail: string): ModelPath => {
	const text = decoded(tail);
	const colon = text.lastIndexOf(":");
	const verb = text.slice(colon + 1);
	if (colon === -1 || !Object.hasOwn(verbs, verb)) {
		const advice = instead.get(verb);
		if (advice !== undefined) throw notFound(`The method "${verb}" is not served here: ${advice}.`);
		const found = colon === -1 ? "no method" : `the method ${JSON.stringify(verb.slice(0, 64))}`;
		throw notFound(
			`The address names ${found} after the model; it must end in one of :${Object.keys(verbs).join(", :")}.`,
		);
	}
	return { model: checked(text.slice(0, colon)), verb };
});

/** The model as Gemini names it in bodies. */
export const resourceName = (model: string): string =>
	/^(?:models|tunedModels)\//.test(model) ? model : `models/${model}`;

/** The end of an upstream's address for a model and verb. Slashes of a name stay slashes. */
export const modelPath = (model: string, verb: string): string => {
	const steps = resourceName(model)
		.split("/")
		.map((step) => encodeURIComponent(step).replaceAll("%3A", ":"));
	return `/${steps.join("/")}:${verb}`;
};
