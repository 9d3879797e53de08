/** What is wrong with the schedules of jobs, said before any of them begins. */
import { isSchedule } from "../config/shape.ts";
import { type Job, jobs } from "../contract/job.ts";
import type { Offer } from "../contract/token.ts";
import type { PluginComplaint } from "./order.ts";

/** A complaint for each job whose schedule is none. */
export const scheduleComplaints = (
	offers: readonly { readonly plugin: string; readonly offer: Offer }[],
): readonly PluginComplaint[] =>
	offers
		.filter(({ offer }) => offer.token.kind === "slot" && offer.token.id === jobs.id)
		.flatMap(({ plugin, offer }) => {
			// The host takes offers to a slot as what the slot holds: `add` lets nothing else through.
			const { name, schedule } = offer.value as Job;
			if (isSchedule(schedule)) return [];
			const message = `the schedule of its job "${name}" is not one such as "0 3 * * *": "${schedule}"`;
			return [{ plugin, message }];
		});
