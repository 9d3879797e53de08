/** Takes out of a request what would choose another model, upstream, address or key than Portico's own configuration does. */
import type { Identified } from "../../contract/call.ts";
import type { RequestFacts } from "../../contract/facts.ts";
import type { ProtocolAsk } from "../../contract/protocol.ts";
import type { Router } from "../../contract/router.ts";
import type { Loss } from "../../neutral/model.ts";
import { changeJsonBody, readJsonBody } from "../../wire/json-body.ts";
import { withDeployment } from "../../wire/openai-paths.ts";
import { type RulesOf, showsName } from "../policies/token-rules.ts";

/** What was taken out, as the client is told of it. */
export const takenOut = (paths: readonly string[]): readonly Loss[] =>
	paths.map((path) => ({ path: path.slice(0, 64), reason: "only the operator chooses where a call goes" }));

/** The body that everybody else is to see, and what is missing from it. */
export const readWithoutSteering = (
	bytes: Uint8Array,
	steer: RequestFacts["steering"],
	call: Identified,
	{ rulesOf, router }: { readonly rulesOf: RulesOf; readonly router: Router },
): Pick<ProtocolAsk, "body" | "steered"> => {
	const sent = readJsonBody(bytes);
	const { deployment } = call.params;
	const body = deployment === undefined ? sent : withDeployment(sent, deployment);
	const steering = steer(body, (name) => showsName(rulesOf(call.token), name, router));
	if (!steering) return { body };
	return {
		body: changeJsonBody(body, steering.edits),
		steered: takenOut(steering.removed),
	};
};
