/** The word for OpenAI's Responses in config and in `Origin`. */
export const protocolName = "responses";
