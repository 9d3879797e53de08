/** The word for this protocol in config and in `Origin`. */
export const protocolName = "generate-content";
