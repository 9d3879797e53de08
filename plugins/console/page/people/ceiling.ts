/** What is written in the field of a ceiling, as it is sent. */

/** Null: no limit. What is no number goes as it is, for the server to refuse: as none it would take the limit away. */
export const ceilingSent = (written: string): number | string | null => {
	const words = written.trim();
	if (words === "") return null;
	const amount = Number(words);
	return Number.isFinite(amount) ? amount : words;
};
