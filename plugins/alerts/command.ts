/** `portico alerts`: what the operator was told, and a test. */
import { asList, asRecord, asText, type Command, didYouMean, misused, tableLines } from "#core";

const usage = "portico alerts [--json]\nportico alerts test";

export const alertsCommand: Command = {
	name: "alerts",
	summary: "Shows what the operator was told, and sends a test.",
	usage: () => usage,
	async run({ words, call, print }) {
		const [word, ...more] = words;
		const strange = word === undefined || word === "test" || word === "--json" ? more[0] : word;
		if (strange !== undefined) {
			const message = `portico alerts takes no "${strange}"${didYouMean(strange, ["test", "--json"])}`;
			throw misused(message, usage);
		}
		if (word === "test") {
			await call("POST", "/admin/alerts/test");
			return print("a test is on its way; portico deliveries --token alerts tells whether it arrived");
		}
		const answer = asRecord(await call("GET", "/admin/alerts"));
		if (word === "--json") return print(JSON.stringify(answer));
		const rows = asList(answer["data"]).map(asRecord);
		if (rows.length === 0) return print("no alerts");
		const cells = rows.map(({ at, event, data }) =>
			[at, event, asRecord(data)["message"]].map((value) => asText(value) ?? ""),
		);
		for (const line of tableLines(["at", "event", "message"], cells)) print(line);
	},
};
