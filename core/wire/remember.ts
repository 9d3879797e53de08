/** Answers that are kept, for questions that are asked again and again. */

/** The same function of a text, whose answer must never change; up to `most` answers are kept, then all are forgotten. */
export const remembering = <Answer>(find: (text: string) => Answer, most = 1_000): ((text: string) => Answer) => {
	const known = new Map<string, { readonly answer: Answer }>();
	return (text) => {
		const kept = known.get(text);
		if (kept) return kept.answer;
		const answer = find(text);
		// What comes from outside must not fill the memory; forgetting all at once is the cheapest way to forget.
		if (known.size >= most) known.clear();
		known.set(text, { answer });
		return answer;
	};
};
