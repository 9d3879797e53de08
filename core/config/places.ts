/** Where a config file says that the data is, as far as that can be made out of a file with whatever mistakes. */
import { asRecord, asText } from "../neutral/json.ts";
import { readDocument } from "./document.ts";
import type { Sources } from "./expand.ts";
import { defaultSettings } from "./read.ts";

/** The two settings by which a running server is found, as written; the default of one that is not there or is no text. */
export interface Places {
	readonly url: string;
	readonly dataFolder: string | undefined;
}

/** Never throws, whatever the text. */
export const readPlaces = (text: string, sources: Sources): Places => {
	const root = asRecord(readDocument(text, sources).value);
	const { database, server } = defaultSettings();
	return {
		url: asText(asRecord(root["database"])["url"]) ?? database.url,
		dataFolder: asText(asRecord(root["server"])["dataFolder"]) ?? server.dataFolder,
	};
};
