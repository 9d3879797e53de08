/** What `portico connect` prints, for pages: the settings of every client, with this gateway's address in them. */
import { keyPlaceholder, modelPlaceholder } from "../connect/client.ts";
import { clients } from "../connect/clients.ts";
import { connectParts, connectText } from "../connect/print.ts";
import { deny, Fault } from "../contract/fault.ts";
import type { PersonRoute } from "../contract/route.ts";
import { definedOnly } from "../neutral/json.ts";

const addressIn = (given: string | null, own: string): string => {
	if (given === null) return own;
	if (/^https?:\/\/[^\s/?#]+$/.test(given)) return given;
	const message = "address must be a web address without a path, such as https://portico.example.com.";
	throw new Fault(deny("invalid_request", message, { parameter: "address" }));
};

/** A real key has no business in an address, which servers write down. */
const placeholderIn = (given: string | null): string => {
	if (given === null || /^\$?[A-Z_]{1,64}$/.test(given)) return given ?? keyPlaceholder;
	const message = "key must be a word that stands for the key, such as $PORTICO_KEY; never send a key in an address.";
	throw new Fault(deny("invalid_request", message, { parameter: "key" }));
};

/** `usual`: the model they are to ask for where the query names none. */
export const clientRoutes = (usual: () => string | undefined): readonly PersonRoute[] => [
	{
		method: "GET",
		path: "/admin/clients",
		access: "person",
		query: ["address", "model", "key"],
		summary: `What each client must be told, for ?address= and ?model=; ?key= stands for the key, ${keyPlaceholder} unless said.`,
		handle({ url, origin }) {
			const model = url.searchParams.get("model") || usual();
			const gateway = {
				address: addressIn(url.searchParams.get("address"), origin),
				key: placeholderIn(url.searchParams.get("key")),
				model: model ?? modelPlaceholder,
			};
			const data = clients.map((client) => ({
				name: client.name,
				title: client.title,
				...definedOnly({ note: client.note }),
				parts: connectParts(client, gateway),
				text: connectText(client, gateway),
			}));
			return Response.json({ data, keyPlaceholder: gateway.key, model });
		},
	},
];
