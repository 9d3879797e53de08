/** `docs/reference.md`: every route, error, header, metric, command and exit code, from the routes and commands themselves. */
import { commands, type DenialKind, deny, protocols } from "#core";
import type { TestGateway } from "#core/testing";
import { coreCommands } from "../../core/command-line/core-commands.ts";
import { databaseCommand } from "../../core/command-line/database.ts";
import { inColumns } from "../../core/command-line/explained.ts";
import { reloadCommand } from "../../core/command-line/reload.ts";
import { statusCommand } from "../../core/command-line/status.ts";
import { renderOwnDenial } from "../../core/errors/own-errors.ts";
import { asList, asRecord, asText } from "../../core/neutral/json.ts";
import { withAllPlugins } from "./all-plugins.ts";
import { type Meaning, refusalCodes, taskFailureCodes } from "./error-codes.ts";
import { answerHeaders, callbackHeaders, type Header, requestHeaders } from "./headers.ts";
import { code, table } from "./table.ts";

const kinds: Readonly<Record<DenialKind, string>> = {
	invalid_request: "The request is not as it must be.",
	context_length: "The prompt is longer than the model takes.",
	content_policy: "The words are not allowed.",
	unsupported: "What is asked for is not done here.",
	authentication: "The key is wrong, missing, expired or switched off.",
	permission: "The key may not do this.",
	quota_exhausted: "The token's quota or budget is used up.",
	quota_held: "The rest of the quota is held by running calls.",
	rate_limited: "Too many requests, tokens or calls at once.",
	not_found: "There is nothing at this address.",
	model_not_found: "There is no such model for this token.",
	method_not_allowed: "The address takes another method.",
	conflict: "It does not go with the state of things.",
	too_large: "The body is larger than `server.bodyLimitBytes`.",
	unsupported_media_type: "The body is in a form that is not read here.",
	client_timeout: "The body did not arrive in time.",
	internal: "Portico failed; the log says how.",
	upstream: "The upstream failed, and no other could answer.",
	overloaded: "Portico or its database cannot take the call now.",
	upstream_timeout: "The upstream did not answer in time.",
};

/** What stands in an error of any protocol as its word. */
const wordOf = (body: unknown): string => {
	const error = asRecord(asRecord(body)["error"]);
	return asText(error["status"]) ?? asText(error["type"]) ?? "";
};

const kindRows = (gateway: TestGateway): readonly (readonly string[])[] => {
	const renderers = ["messages", "generate-content"].map((name) => {
		const found = gateway.portico.generation?.all(protocols).find((protocol) => protocol.name === name);
		if (found === undefined) throw new Error(`there is no protocol ${name}`);
		return found.client.renderDenial;
	});
	return Object.entries(kinds).map(([kind, meaning]) => {
		const denial = deny(kind as DenialKind, meaning);
		const own = renderOwnDenial(denial);
		const others = renderers.map((render) => {
			const { status, body } = render(denial, "req_1");
			return `${status} ${code(wordOf(body))}`;
		});
		const { type, code: word } = own.body.error;
		return [code(kind), `${own.status} ${code(type)}${word === null ? "" : ` ${code(word)}`}`, ...others, meaning];
	});
};

/** Who may call, by what a route's description says is needed. */
const access: Readonly<Record<string, string>> = {
	"": "anyone",
	token: "a token",
	admin: "operators: the admin token, or people who signed in, members for what is theirs",
};

const routeTables = async ({ url }: TestGateway): Promise<string> => {
	const { paths } = asRecord(await (await fetch(`${url}/openapi.json`)).json());
	const operations = Object.entries(asRecord(paths)).flatMap(([path, item]) =>
		Object.entries(asRecord(item))
			.filter(([method]) => method !== "parameters")
			.map(([method, operation]) => {
				const { security, tags, summary } = asRecord(operation);
				const [needed = ""] = Object.keys(asRecord(asList(security)[0]));
				const cells = [code(`${method.toUpperCase()} ${path}`), code(String(asList(tags)[0])), String(summary)];
				return { needed, cells };
			}),
	);
	const parts = Object.entries(access).map(([needed, who]) => {
		const rows = operations.filter((operation) => operation.needed === needed).map(({ cells }) => cells);
		return `### For ${who}\n\n${table(["route", "plugin", "what it does"], rows)}`;
	});
	return parts.join("\n\n");
};

const metricRows = async ({ url, adminToken }: TestGateway): Promise<readonly (readonly string[])[]> => {
	const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${adminToken}` } });
	const text = await response.text();
	const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type]));
	return [...text.matchAll(/^# HELP (\S+) (.*)$/gm)]
		.map(([, name = "", help = ""]) => [code(name), types.get(name) ?? "", help])
		.toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1));
};

const commandParts = ({ portico }: TestGateway): string => {
	const added = (portico.generation?.all(commands) ?? []).map(({ name, usage, summary }) => ({
		name,
		summary,
		usage: usage(),
	}));
	const asking = [databaseCommand, statusCommand, reloadCommand].map((one) => ({ ...one, usage: one.usage() }));
	return [...coreCommands, ...asking, ...added]
		.toSorted((one, other) => (one.name < other.name ? -1 : 1))
		.map(({ name, summary, usage }) => `### ${name}\n\n${summary}\n\n\`\`\`text\n${inColumns(usage)}\n\`\`\``)
		.join("\n\n");
};

const codeTable = (codes: readonly Meaning[]): string =>
	table(
		["code", "meaning"],
		codes
			.toSorted((one, other) => (one.code < other.code ? -1 : 1))
			.map(({ code: word, meaning }) => [code(word), meaning]),
	);

const headerTable = (headers: readonly Header[]): string =>
	table(
		["header", "meaning"],
		headers.map(({ name, meaning }) => [code(name), meaning]),
	);

/** The page as it must be. */
export const referencePage = (): Promise<string> =>
	withAllPlugins(
		async (gateway) => `# Reference

Written by \`npm run docs\` from the routes, the commands and the metrics themselves; a test fails when it is stale. A running gateway
says the same of its own plugins: \`GET /openapi.json\`, \`GET /metrics\`, \`portico plugins\`, \`portico help\`. The settings are in
[settings.md](settings.md).

## Routes

\`{rest}\` takes the rest of the path. Routes of a plugin that the config leaves out do not exist; those of \`portico\` always do.

${await routeTables(gateway)}

## Errors

Every refusal is sent in the shape of the protocol whose route was called; elsewhere it is OpenAI's:
\`{"error":{"message","type","param","code"}}\`. The message says what was found, what was expected and what to do.

${table(["kind", "OpenAI and all other routes", "Anthropic", "Google", "when"], kindRows(gateway))}

### Codes

Where a code of these stands, it says more than the kind. A code of the upstream's own is passed on where it is a plain word.

${codeTable(refusalCodes)}

### Failures of tasks

${codeTable(taskFailureCodes)}

## Headers

### That Portico reads

${headerTable(requestHeaders)}

### That Portico sets

${headerTable(answerHeaders)}

### Of callbacks

${headerTable(callbackHeaders)}

## Metrics

\`GET /metrics\`, with the admin token. \`plugins/metrics/README.md\` tells the labels.

${table(["metric", "type", "what it counts"], await metricRows(gateway))}

## Commands

${commandParts(gateway)}

## Exit codes

| code | meaning |
| --- | --- |
| 0 | Done; for \`serve\`: told to stop, and everything was written. |
| 1 | Refused or failed; the reason stands on standard error. |
| 128 and more | Ended by the signal of that number less 128. |
`,
	);
