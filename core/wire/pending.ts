/** Answers that most often are there at once, and now and then have to be waited for. */

/** What is there at once, unless somebody takes their time with it. */
export type MaybeLater<T> = T | Promise<T>;

/** Whether an answer has to be waited for. Most that may take time are there at once, and to await them all the same costs a turn each. */
export const isPending = <Answer>(answer: Answer | PromiseLike<Answer>): answer is PromiseLike<Answer> =>
	typeof answer === "object" && answer !== null && "then" in answer;
