/** What calls for action, beside the link to where it is done. */
import { number, wires } from "../data/read.ts";
import { useAnswer } from "../data/use-answer.ts";
import { failingIn } from "../models/upstream.ts";

/** By the page's name: "2 dead". Members look after their own callbacks, and neither upstreams nor the server. */
export const useAlarms = (admin: boolean): Readonly<Record<string, string>> => {
	const dead = useAnswer("/admin/deliveries?status=dead&limit=100").data;
	const troubles = useAnswer(admin ? "/admin/troubles" : undefined).data;
	const troubleCount = troubles ? wires(troubles, "data").length : 0;
	const deadCount = dead ? (number(dead, "total") ?? wires(dead, "data").length) : 0;
	const failing = (of?: string): number => (troubles ? failingIn(troubles, of).length : 0);
	const [ofCalls, ofTasks] = [failing(), failing("tasks")];
	return {
		...(deadCount > 0 && { Callbacks: `${deadCount > 99 ? "99+" : deadCount} dead` }),
		...(ofTasks > 0 && { Tasks: `${ofTasks} failing` }),
		...(ofCalls > 0 && { Models: `${ofCalls} failing` }),
		...(troubleCount > 0 && { Config: `${troubleCount} wrong` }),
	};
};
