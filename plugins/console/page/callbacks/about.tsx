/** What a callback is about: a task, or what the operator is told by the plugin `alerts`. */
import { asWire, text, wires } from "../data/read.ts";
import { useAnswer } from "../data/use-answer.ts";
import type { Delivery } from "./delivery.ts";

/** No token's: alerts are callbacks of the server itself. */
const isAlert = ({ token }: Delivery): boolean => token === "alerts";

const taskLink = (subject: string) => <a href={`/console/tasks/${encodeURIComponent(subject)}`}>{subject}</a>;

export const Subject = ({ delivery }: { readonly delivery: Delivery }) =>
	isAlert(delivery) ? <span class="quiet">none: an alert</span> : taskLink(delivery.subject);

const Alert = ({ id }: { readonly id: string }) => {
	const { data } = useAnswer("/admin/alerts?limit=500", false);
	const alert = data && wires(data, "data").find((one) => text(one, "id") === id);
	return (
		<>
			<dt>Told</dt>
			<dd>{(alert && text(asWire(alert["data"]), "message")) ?? <code>{id}</code>}</dd>
		</>
	);
};

/** As facts of its sheet. */
export const About = ({ delivery }: { readonly delivery: Delivery }) =>
	isAlert(delivery) ? (
		<Alert id={delivery.subject} />
	) : (
		<>
			<dt>Token</dt>
			<dd>{delivery.tokenName ?? delivery.token ?? "–"}</dd>
			<dt>Task</dt>
			<dd>{taskLink(delivery.subject)}</dd>
		</>
	);
