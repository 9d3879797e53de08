/** The public face of Portico's core, imported as `#core`: the one file that plugins import. */

// writing a plugin

export { type Static, type TObject, type TSchema, Type as t } from "@sinclair/typebox";
export {
	type Contribution,
	definePlugin,
	type Plugin,
	type PluginContext,
	type PluginSpec,
	type SettingMistake,
} from "./contract/define.ts";
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
} from "./contract/token.ts";

// what the host lends

export { type Clock, clock } from "./contract/clock.ts";
export { type CallAdmin, type Command, type CommandRun, commands, warnings } from "./contract/command.ts";
export type { Compaction, Conversations } from "./contract/conversations.ts";
export {
	type FirstToken,
	type HostInfo,
	type HostLoad,
	hostInfo,
	type Kept,
	type PluginRow,
} from "./contract/host-info.ts";
export { type Job, jobs } from "./contract/job.ts";
export type { Log, LogFields } from "./contract/log.ts";
export { describe } from "./errors/describe.ts";
export { type TaskAsk, type TaskAuthority, taskAuthority } from "./relay/task-authority.ts";
export { keyedDigest } from "./runtime/digest.ts";
export { type FetchWay, fetchWay } from "./runtime/fetch-way.ts";
export { withoutControls } from "./runtime/log-lines.ts";
export { bundlePage, type PageFile, type PageSource } from "./runtime/page.ts";
export { hashPassword, verifyPassword } from "./runtime/password.ts";
export { systemResolve } from "./runtime/system-resolve.ts";
export { unpacked } from "./runtime/unpacked.ts";
export { remembering } from "./wire/remember.ts";

// the command line

export { type Column, dollars, tableLines } from "./command-line/table.ts";
export { flagOf, misused, parseWords, refuseCommand, textOptions } from "./config/command-words.ts";

// refusing and failing

export { didYouMean } from "./config/complaint.ts";
export * from "./contract/fault.ts";
export { openAiFailure, openAiFailureWithin } from "./errors/openai-failure.ts";
export { renderOwnDenial } from "./errors/own-errors.ts";
export { scrub, scrubMessage, withoutKeys } from "./errors/redact.ts";
export { retryAfterIn, retryHeaders, waitOf, withoutRetryWords } from "./errors/retry.ts";
export { isUnsent, lacksSocket, unansweredCode, unreachable } from "./errors/unanswered.ts";
export { unknownModel } from "./errors/unknown-model.ts";
export { adviceOnUpstream, emptyAccount, refusedKey, slowUpstream } from "./errors/upstream-advice.ts";
export {
	credentialsRefused,
	isEmptyAccount,
	isRefusedCredentials,
	kindOfStatus,
	mayBeDone,
	refusesCredentials,
	sentenceFor,
	withoutNames,
} from "./errors/upstream-failure.ts";
export { firstRefusal } from "./relay/policies/token-rules.ts";
export { notServed } from "./relay/routes/not-served.ts";
export * from "./wire/fields.ts";
export { decodeOpenAiModels, openAiListing } from "./wire/openai-models.ts";
export { openAiPaths, openAiRoots } from "./wire/openai-paths.ts";

// routes, bodies and addresses

export type { HeldBytes } from "./contract/held-bytes.ts";
export type { JsonBody } from "./contract/json-body.ts";
export * from "./contract/operator.ts";
export {
	type AdminRoute,
	type Method,
	type PersonRoute,
	type PublicRoute,
	type Route,
	routes,
	type TokenRoute,
} from "./contract/route.ts";
export { complaintOf, readJson } from "./http/own-bodies.ts";
export { readBody, readBytes } from "./wire/body.ts";
export { type FormField, formFile, formMessage, formOf } from "./wire/endpoint-form.ts";
export { bearer, bytesIn, jsonMessage, jsonOf } from "./wire/endpoint-json.ts";
export { changeJsonBody, editJsonBody, type JsonLimits, readJsonBody, refuseCostlyTexts } from "./wire/json-body.ts";
export { type Networks, networksOf, normaliseAddress, readNetwork } from "./wire/networks.ts";
export { isOwnOrigin } from "./wire/origins.ts";

// the database

export { sql } from "drizzle-orm";
export * from "./contract/store.ts";
export { isOutage, StoreFault, unlessOutage } from "./errors/store-fault.ts";
export { bulkInsert } from "./store/bulk-insert.ts";
export { createDatabaseTime, databaseTime } from "./store/database-time.ts";
export { fixedStatement } from "./store/fixed-statement.ts";
export { orderedId } from "./store/ordered-id.ts";
export { valueList } from "./store/value-list.ts";
export { type ClaimedWork, WorkQueue, type WorkQueueOptions } from "./store/work-queue.ts";

// the neutral form

export { codeOf, outputOf, printed, type RunOutput, runAsText } from "./neutral/code-run.ts";
export type * from "./neutral/content.ts";
export { DistinctNames } from "./neutral/distinct-names.ts";
export * from "./neutral/effort.ts";
export { bytesPerToken, estimateTextTokens, estimateTokens, pictureTokens } from "./neutral/estimate.ts";
export { holdsLargeInteger, parseExactly, writtenValue } from "./neutral/exact-json.ts";
export { explode } from "./neutral/explode.ts";
export { carry, encodedMark, familyOf, ownName, uncarry, uncarryEncoded } from "./neutral/family.ts";
export { Folder, fold, partSeparator, readArguments } from "./neutral/fold.ts";
export {
	asBoolean,
	asCount,
	asList,
	asNumber,
	asRecord,
	asText,
	definedOnly,
	inOnePiece,
	isRecord,
	jsonStringBytes,
	lookup,
	parseJson,
	parseShallow,
	textBytes,
	type WireRecord,
} from "./neutral/json.ts";
export { Losses, type LossWords, type NeutralLoss, type Setting, unshown, wordLosses } from "./neutral/losses.ts";
export * from "./neutral/model.ts";
export { toDollars, toMicroDollars } from "./neutral/money.ts";
export { brokenOff, failureOf, normalizeEvents, normalizeResponse } from "./neutral/normalize-events.ts";
export { normalizeRequest } from "./neutral/normalize-request.ts";
export { asObjectSchema, describedSchema, objectSchema, referredIn } from "./neutral/object-schema.ts";
export { gapBetween } from "./neutral/phase.ts";
export { pictureType } from "./neutral/picture-type.ts";
export { inPlaceOf, placed, placeOf } from "./neutral/place.ts";
export type * from "./neutral/request.ts";
export * from "./neutral/response.ts";
export { instructs } from "./neutral/system-first.ts";
export { isTextMime } from "./neutral/text-mime.ts";
export { type CalledTool, calledTool, flatName, type NameRule, plainNames, ToolNames } from "./neutral/tool-names.ts";
export { WaitingCalls } from "./neutral/waiting-calls.ts";
export { unwrapInput, wrapInput } from "./neutral/wrapped-input.ts";
export { cleanBase64, dataUrlHead, readDataUrl } from "./wire/data-url.ts";
export { readDisguised, readFunctionName } from "./wire/disguised-tools.ts";
export { type EventMembers, EventTemplate, eventMembers, eventText } from "./wire/event-template.ts";
export { exactBody, exactMember } from "./wire/exact-body.ts";

// the life of a call

export { type Authenticator, authenticators, type RefusedToken } from "./contract/authenticator.ts";
export type * from "./contract/call.ts";
export * from "./contract/endpoint.ts";
export * from "./contract/guard.ts";
export * from "./contract/outcome.ts";
export { type Permit, type Policy, policies, type TokenSetting } from "./contract/policy.ts";
export { type CallTrace, type Tracer, tracer } from "./contract/trace.ts";
export { mapJsonTexts, mapTexts, restorer, restoreWords } from "./neutral/map-texts.ts";
export { editWords } from "./relay/guards/edit-words.ts";
export { formText, readForm } from "./wire/form.ts";

// protocols and models

export type * from "./contract/client-side.ts";
export type { Fees, RequestBound, RequestFacts, Steering } from "./contract/facts.ts";
export { type KnownModels, models } from "./contract/known-models.ts";
export * from "./contract/model-ask.ts";
export type * from "./contract/model-listing.ts";
export type * from "./contract/passthrough.ts";
export { type Protocol, type ProtocolAsk, protocols } from "./contract/protocol.ts";
export * from "./contract/router.ts";
export { type KeyNotes, type SendOptions, type Target, type Upstream, upstreams } from "./contract/upstream.ts";
export type * from "./contract/upstream-side.ts";
export { upstreamOnly } from "./relay/upstream-only.ts";
export { fetchNamed, isPrivateUpstream, isWebAddress } from "./wire/fetch-named.ts";
export { instantOf } from "./wire/instant.ts";
export { narrowList } from "./wire/narrow-list.ts";
export { matchesPattern, patternLookup } from "./wire/pattern.ts";
export { pinnedRequest } from "./wire/pinned-request.ts";
export { dialable, isInnerHost, type Resolve } from "./wire/public-addresses.ts";
export * from "./wire/references.ts";
export { BoundReader, membersOf, spelledOtherwise, tiersNamed, tierWords } from "./wire/request-bound.ts";
export { asksOtherModels, foldedName, type SteeringFinder, steeringFinder } from "./wire/steering.ts";
