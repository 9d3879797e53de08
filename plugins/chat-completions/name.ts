/** This protocol's word in config, in the origin of opaque values and as the key of its bags of extra fields. */
export const protocolName = "chat-completions";
