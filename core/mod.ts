/** The public face of Portico's core, imported as `#core`: the one file that plugins import. */

// writing a plugin
export { type Static, type TObject, type TSchema, Type as t } from "@sinclair/typebox";
// what the host lends
export { type Clock, clock } from "./clock.ts";
// refusing and failing
export { type Denial, type DenialKind, deny, Fault, isFault } from "./fault.ts";
export { type CallAdmin, type Command, type CommandRun, commands } from "./host/command.ts";
export { type House, house, type Kept, type PluginRow } from "./host/house.ts";
export { type Job, jobs } from "./host/job.ts";
export { readBody, readBytes } from "./http/body.ts";
// routes
export { renderOwnDenial } from "./http/errors.ts";
export { checkValue, complaintOf, readJson } from "./http/json.ts";
export {
	type AdminRoute,
	type Method,
	type PublicRoute,
	type RenderDenial,
	type RenderedDenial,
	type Route,
	routes,
	type TokenRoute,
} from "./http/route.ts";
export type { Log, LogFields } from "./log.ts";
// the neutral form
export type * from "./neutral/content.ts";
export { estimateTextTokens, estimateTokens, maxTokens } from "./neutral/estimate.ts";
export { explode, type SplitBlock, splitBlock } from "./neutral/explode.ts";
export { carry, familyOf, uncarry } from "./neutral/family.ts";
export { Folder, fold, partSeparator, readArguments } from "./neutral/fold.ts";
export type * from "./neutral/model.ts";
export {
	type EventNormalizer,
	normalizeEvents,
	normalizeResponse,
	type StreamDefaults,
} from "./neutral/normalize-events.ts";
export { type NormalizedRequest, normalizeRequest } from "./neutral/normalize-request.ts";
export type * from "./neutral/request.ts";
export type * from "./neutral/response.ts";
export {
	asBoolean,
	asCount,
	asList,
	asNumber,
	asRecord,
	asText,
	definedOnly,
	isRecord,
	parseJson,
	type WireRecord,
} from "./neutral/wire.ts";
export { type Contribution, definePlugin, type Plugin, type PluginContext, type PluginSpec } from "./plugin/define.ts";
export {
	add,
	type Maybe,
	maybe,
	type Needs,
	type Offer,
	provide,
	type Resolved,
	type Service,
	type Slot,
	service,
	slot,
} from "./plugin/token.ts";
export { type Authenticator, authenticators } from "./relay/authenticator.ts";

// the life of a call
export type { AccessToken, Admitted, Asked, Identified, Routed } from "./relay/context.ts";
export type { Continuation, Conversations } from "./relay/conversations.ts";
export { editJsonBody, type JsonBody, type JsonLimits, readJsonBody } from "./relay/json-body.ts";
export { type CallRecord, type Ending, type Outcome, type Recorder, recorders } from "./relay/outcome.ts";
export { matchesPattern } from "./relay/pattern.ts";
export { Permits } from "./relay/permits.ts";
export { type Permit, type Policy, policies, type TokenSetting } from "./relay/policy.ts";
// protocols
export {
	type ClientSide,
	type DecodeContext,
	type EncodeContext,
	type EncodedRequest,
	type EncodedResponse,
	type ModelAsk,
	type ModelCall,
	type ModelListing,
	type ModelRequest,
	type Observation,
	type Operation,
	type Passthrough,
	type PassthroughChanges,
	type Protocol,
	protocols,
	type StreamDecoder,
	type StreamEditor,
	type StreamEncoder,
	type StreamEvent,
	type StreamObserver,
	type UpstreamMessage,
	type UpstreamSide,
} from "./relay/protocol.ts";
export {
	type AttemptReport,
	type ModelInfo,
	type Plan,
	type Router,
	router,
	type SendOptions,
	type Target,
	type Upstream,
	type UpstreamHealth,
	upstreams,
} from "./relay/router.ts";
export { scrub, scrubMessage } from "./relay/scrub.ts";
export { type TaskAuthority, taskAuthority } from "./relay/task-authority.ts";
export { unknownModel } from "./relay/unknown-model.ts";
export { type BulkTable, bulkInsert } from "./store/bulk-insert.ts";
export { StoreFault } from "./store/fault.ts";
export { type Migration, type Statement, type Store, store, type Tables, tables, type Written } from "./store/store.ts";
