/** What a callback is about: a task, or what the operator is told by the plugin `alerts`. */
import { asWire, text, wires } from "../data/read.ts";
import { useAnswer } from "../data/use-answer.ts";
import type { Delivery } from "./delivery.ts";

/** No token's: alerts are callbacks of the server itself. */
export const isAlert = ({ token }: Delivery): boolean => token === "alerts";

const everyMs = 60_000;

/** What alerts say, by their ids; asked where one is shown. */
export const useAlerts = (some: boolean): ReadonlyMap<string, string> => {
	const { data } = useAnswer(some ? "/admin/alerts?limit=500" : undefined, everyMs);
	return new Map(
		(data ? wires(data, "data") : []).flatMap((one): [string, string][] => {
			const [id, message] = [text(one, "id"), text(asWire(one["data"]), "message")];
			return id === undefined || message === undefined ? [] : [[id, message]];
		}),
	);
};

const taskLink = (subject: string) => <a href={`/console/tasks/${encodeURIComponent(subject)}`}>{subject}</a>;

interface SubjectProps {
	readonly delivery: Delivery;
	readonly alerts: ReadonlyMap<string, string>;
}

export const Subject = ({ delivery, alerts }: SubjectProps) =>
	isAlert(delivery) ? <small>{alerts.get(delivery.subject) ?? "an alert"}</small> : taskLink(delivery.subject);

const Alert = ({ id }: { readonly id: string }) => (
	<>
		<dt>Told</dt>
		<dd>{useAlerts(true).get(id) ?? <code>{id}</code>}</dd>
	</>
);

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
