/** What the bench uses of the load generator, which ships no types. */
declare module "autocannon" {
	interface Options {
		readonly url: string;
		readonly method: string;
		readonly headers: Readonly<Record<string, string>>;
		readonly body: string;
		readonly connections: number;
		/** Seconds. */
		readonly duration?: number;
		/** Calls, in place of a duration. */
		readonly amount?: number;
		/** Seconds that a call may take; more is an error. */
		readonly timeout?: number;
	}
	interface Result {
		readonly "2xx": number;
		readonly non2xx: number;
		readonly errors: number;
		/** Seconds. */
		readonly duration: number;
	}
	export default function autocannon(options: Options): Promise<Result>;
}
