/** What this protocol is called, and which version of it upstreams are asked in. */

/** The version of the protocol that every upstream speaks. */
export const protocolVersion = "2023-06-01";

/** The word for this protocol in config and in `Origin`. */
export const protocolName = "messages";

/** Names the customer to whom a request is put down. */
export const profileHeader = "anthropic-user-profile-id";
