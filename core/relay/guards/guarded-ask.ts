/** What an endpoint is asked, as words for guards to see, and their changes in its body. */
import type { EndpointRouted } from "../../contract/call.ts";
import type { Dialect, Endpoint, EndpointAsk, EndpointBody, FormBody, FormPart } from "../../contract/endpoint.ts";
import { Fault } from "../../contract/fault.ts";
import { mapJsonTexts } from "../../neutral/map-texts.ts";
import type { NeutralRequest } from "../../neutral/request.ts";
import { readForm, replaceParts } from "../../wire/form.ts";
import { changeJsonBody } from "../../wire/json-body.ts";
import { changedWords, editWords } from "./edit-words.ts";

const utf8 = new TextDecoder();

/** The words of a part: the name of a file, the value of any other but the model's. */
const partText = ({ bytes }: FormBody, { name, filename, start, end }: FormPart): string | undefined =>
	filename ?? (name === "model" ? undefined : utf8.decode(bytes.subarray(start, end)));

/** Values, and the names of files and of fields. */
const formTexts = ({ body }: EndpointAsk): readonly string[] =>
	body.type === "form" ? body.form.parts.flatMap((part) => [part.name, partText(body.form, part) ?? []].flat()) : [];

const jsonTexts = ({ body }: EndpointAsk): readonly string[] => {
	const texts: string[] = [];
	if (body.type === "json") {
		const { model: _, ...fields } = body.json.value;
		mapJsonTexts(fields, (text) => {
			texts.push(text);
			return text;
		});
	}
	return texts;
};

/** Everything the client wrote as one message of the user: what the model is given first, then every other field. */
export const endpointWords = (call: EndpointRouted): NeutralRequest => {
	const prompt = call.prompt();
	const texts = new Set([...call.ask.call.texts, ...jsonTexts(call.ask), ...formTexts(call.ask)]);
	return { ...prompt, messages: [{ role: "user", blocks: [...texts].map((text) => ({ type: "text", text })) }] };
};

const changedBody = (ask: EndpointAsk, words: ReadonlyMap<string, string>): EndpointBody => {
	const { body } = ask;
	if (body.type === "json") {
		const changes = Object.entries(body.json.value)
			.filter(([name]) => name !== "model")
			.map(([name, value]) => [name, editWords(value, words)] as const);
		return { type: "json", json: changeJsonBody(body.json, Object.fromEntries(changes)) };
	}
	const { form } = body;
	const bytes = replaceParts(form, (part) => {
		const text = partText(form, part);
		return text === undefined ? undefined : words.get(text);
	});
	return { type: "form", form: readForm(bytes, form.contentType) };
};

/** What an endpoint is asked stands in fields of these names: another name would make it another request. */
const rootNames = ({ body }: EndpointAsk): readonly string[] =>
	body.type === "json" ? Object.keys(body.json.value) : body.form.parts.map(({ name }) => name);

const renamed = (): Fault =>
	new Fault({
		kind: "invalid_request",
		code: "invalid_value",
		message:
			"A field of the request is called by words that a guard here changes, and what it is called cannot be changed. Leave the field out, or put the words into the value of a field.",
	});

/** Undefined when the dialect does not read the changed words out of the changed body: then they did not get in. Throws `Fault` for a changed name of a field. */
export const changedAsk = (
	call: EndpointRouted,
	endpoint: Endpoint | undefined,
	before: NeutralRequest,
	after: NeutralRequest,
): EndpointAsk | undefined => {
	const dialect: Dialect | undefined = endpoint?.dialects.find(({ name }) => name === call.ask.dialect);
	const words = changedWords(before.messages, after.messages);
	if (!dialect || !words) return undefined;
	if (rootNames(call.ask).some((name) => words.has(name))) throw renamed();
	const body = changedBody(call.ask, words);
	const read = dialect.read({ ...call.ask, body });
	const ask: EndpointAsk = { ...call.ask, body, call: { ...call.ask.call, texts: read.texts } };
	const wanted = new Set(after.messages.flatMap(({ blocks }) => blocks.map((one) => "text" in one && one.text)));
	const now = endpointWords({ ...call, ask, prompt: () => before }).messages[0]?.blocks ?? [];
	return now.every((one) => one.type === "text" && wanted.has(one.text)) ? ask : undefined;
};
