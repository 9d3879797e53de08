/** A policy that reads the words of every kind of call, and refuses those that the token may not say. */
import { add, asList, definePlugin, deny, type NeutralRequest, policies, t } from "#core";

const wordsOf = ({ messages }: NeutralRequest): string =>
	messages.flatMap(({ blocks }) => blocks.map((block) => (block.type === "text" ? block.text : ""))).join(" ");

export default definePlugin({
	name: "forbidden-words",
	summary: "Refuses prompts that hold a word the token may not say.",
	config: t.Object({}, { additionalProperties: false }),
	gives: [policies],
	setup: ({ name }) => ({
		offers: [
			add(policies, {
				name,
				setting: {
					key: "forbiddenWords",
					schema: t.Array(t.String(), { description: "Words that no prompt may hold." }),
					compile: (value) => asList(value).map(String),
				},
				check(call, forbidden: readonly string[] = []) {
					const words = wordsOf(call.prompt());
					const found = forbidden.find((word) => words.includes(word));
					return found === undefined ? undefined : deny("permission", `The word "${found}" is not said here.`);
				},
			}),
		],
	}),
});
