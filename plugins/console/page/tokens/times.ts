/** Times as a form has them: in the browser's zone, as a person writes them. */

/** To the minute, in the browser's zone: what the field takes and a person can read. */
export const localTime = (at: number): string => {
	const date = new Date(at);
	return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16).replace("T", " ");
};

/** What is written as the server wants it; what is no time goes as it is, for the server to refuse in its words. */
export const asTime = (words: string): string => {
	const local = /^\d{4}-\d{2}-\d{2}$/.test(words) ? `${words}T00:00` : words;
	const at = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?$/.test(local)
		? new Date(local.replace(" ", "T"))
		: undefined;
	// A 31st of November would be the 1st of December.
	const asWritten = at && !Number.isNaN(at.getTime()) && localTime(at.getTime()).slice(0, 10) === words.slice(0, 10);
	return at && asWritten ? at.toISOString() : words;
};

/** A time that a token has, as it would be written; as it came where that would be another, as in the hour that autumn has twice. */
export const writtenTime = (time: string): string => {
	const at = Date.parse(time);
	if (Number.isNaN(at)) return time;
	const local = localTime(at);
	return asTime(local) === new Date(at).toISOString() ? local : time;
};
