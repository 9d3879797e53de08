/** What is of this protocol and what Portico wrote in its form: origins, bags of own fields, marks of what no upstream has kept. */
import { asRecord, type Extras, type NeutralNode, type Origin, type WireRecord } from "#core";
import { protocolName } from "./name.ts";

/** How the ids of reasoning items begin that Portico made: OpenAI never kept such an item. */
export const ownReasoningMark = "rs_portico_";

/** The container of code that another provider's model ran: none of OpenAI's. */
export const foreignContainer = "cntr_portico";

/** True for an item that Portico wrote for such code, and that no upstream has kept. */
export const isForeignRun = (item: unknown): boolean => {
	const { type, container_id } = asRecord(item);
	return type === "code_interpreter_call" && container_id === foreignContainer;
};

/** The origin of an opaque value or raw item of this protocol. */
export const originOf = (family: string): Origin => ({ protocol: protocolName, family });

/** A bag with fields that only this protocol understands. */
export const ownBag = (fields: WireRecord): Extras => ({ [protocolName]: fields });

/** This protocol's own fields of a node; empty when it has none. */
export const ownFields = (node: Pick<NeutralNode, "extras">): WireRecord => node.extras?.[protocolName] ?? {};

/** Whether a raw item or opaque value may be written as it is for a model of this family. */
export const isOwn = (origin: Origin, family: string): boolean =>
	origin.protocol === protocolName && origin.family === family;
