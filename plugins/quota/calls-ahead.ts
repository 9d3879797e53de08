/** For how many calls a slice is asked at once: more when it lasted less than a second, so that a busy token asks rarely. */
const few = 32;
const many = 4_096;
const lastsMs = 1_000;

export class CallsAhead {
	private calls = few;
	private askedAt = Number.NEGATIVE_INFINITY;

	/** Of a question to the database at this monotonic time. */
	at(monotonic: number): number {
		const lasted = monotonic - this.askedAt >= lastsMs;
		this.calls = lasted ? few : Math.min(this.calls * 2, many);
		this.askedAt = monotonic;
		return this.calls;
	}
}
