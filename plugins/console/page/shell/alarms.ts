/** What calls for action, beside the link to where it is done. */
import { number, text, wires } from "../data/read.ts";
import { useAnswer } from "../data/use-answer.ts";
import { unwellOfTasks } from "../tasks/task.ts";

/** By the page's name: "2 dead". Members look after neither callbacks, upstreams nor the server. */
export const useAlarms = (admin: boolean): Readonly<Record<string, string>> => {
	const dead = useAnswer(admin ? "/admin/deliveries?status=dead&limit=100" : undefined).data;
	const upstreams = useAnswer(admin ? "/admin/upstreams" : undefined).data;
	const troubles = useAnswer(admin ? "/admin/troubles" : undefined).data;
	const troubleCount = troubles ? wires(troubles, "data").length : 0;
	const away = troubles ? unwellOfTasks(troubles).length : 0;
	const deadCount = dead ? (number(dead, "total") ?? wires(dead, "data").length) : 0;
	const open = upstreams ? wires(upstreams, "data").filter((one) => text(one, "circuit") === "open").length : 0;
	return {
		...(deadCount > 0 && { Callbacks: `${deadCount > 99 ? "99+" : deadCount} dead` }),
		...(away > 0 && { Tasks: `${away} failing` }),
		...(open > 0 && { Models: `${open} open` }),
		...(troubleCount > 0 && { Config: `${troubleCount} wrong` }),
	};
};
