/** The providers' published schemas as validators, from the shared folder. */
import { join } from "node:path";
import type { ProtocolName } from "./recordings.ts";
import { sharedFolder, withoutShared } from "./recordings.ts";

type Validator = ((value: unknown) => boolean) | null;
interface Schemas {
	check(validator: Validator, value: unknown): string | null;
	chatRequest(): Validator;
	chatResponse(): Validator;
	chatChunk(): Validator;
	responsesRequest(): Validator;
	responsesBody(): Validator;
	responsesEvent(event: unknown): Validator;
	messagesRequest(beta?: boolean): Validator;
	messagesBody(beta?: boolean): Validator;
	messagesEvent(event: unknown, beta?: boolean): Validator;
	geminiRequest(): Validator;
	geminiResponse(): Validator;
	geminiNormal(request: unknown): unknown;
}

/** Says where and why a value breaks a schema; null when it does not. */
export interface Checks {
	request(value: unknown): string | null;
	response(value: unknown): string | null;
	event(value: unknown): string | null;
}

/** Where the schemas are not at hand nothing is found to break them. */
const unchecked: Checks = { request: () => null, response: () => null, event: () => null };

/** Loads the validators once; it takes about two seconds. */
export const loadSchemas = async (): Promise<Readonly<Record<ProtocolName, Checks>>> => {
	if (withoutShared)
		return { "chat-completions": unchecked, responses: unchecked, messages: unchecked, "generate-content": unchecked };
	const schemas: Schemas = await import(join(sharedFolder, "tools/schemas.mjs"));
	const { check } = schemas;
	/** A request or answer with beta features is valid by either of the two published forms. */
	const either = (plain: Validator, beta: () => Validator, value: unknown) =>
		check(plain, value) === null ? null : check(beta(), value);
	return {
		"chat-completions": {
			request: (value) => check(schemas.chatRequest(), value),
			response: (value) => check(schemas.chatResponse(), value),
			event: (value) => check(schemas.chatChunk(), value),
		},
		responses: {
			request: (value) => check(schemas.responsesRequest(), value),
			response: (value) => check(schemas.responsesBody(), value),
			event: (value) => check(schemas.responsesEvent(value), value),
		},
		messages: {
			request: (value) => either(schemas.messagesRequest(), () => schemas.messagesRequest(true), value),
			response: (value) => either(schemas.messagesBody(), () => schemas.messagesBody(true), value),
			event: (value) => either(schemas.messagesEvent(value), () => schemas.messagesEvent(value, true), value),
		},
		"generate-content": {
			request: (value) => check(schemas.geminiRequest(), schemas.geminiNormal(value)),
			response: (value) => check(schemas.geminiResponse(), value),
			event: (value) => check(schemas.geminiResponse(), value),
		},
	};
};
