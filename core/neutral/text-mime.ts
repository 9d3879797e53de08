/** Which documents are text: their words can be told to a model that takes no file of the sort. */
const textType = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript|x-ndjson|sql))/;

export const isTextMime = (mime: string): boolean => textType.test(mime);
