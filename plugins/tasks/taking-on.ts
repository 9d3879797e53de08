/** What is refused between an order's being read and its being taken on has a row, whichever route the order came by. */
import { type Identified, isFault, type Route, type TaskAuthority } from "#core";

/** Calls whose order has been read and not yet been handed over: from then on whoever takes it on writes the row. */
export class TakingOn {
	private readonly read = new WeakSet<Identified>();
	private readonly authority: Pick<TaskAuthority, "refused">;

	constructor(authority: Pick<TaskAuthority, "refused">) {
		this.authority = authority;
	}

	begin(call: Identified): void {
		this.read.add(call);
	}

	handOver(call: Identified): void {
		this.read.delete(call);
	}

	route(route: Route): Route {
		if (route.access !== "token") return { ...route, protocol: "tasks" };
		const handle = async (call: Identified): Promise<Response> => {
			try {
				return await route.handle(call);
			} catch (error) {
				if (isFault(error) && this.read.has(call)) this.authority.refused(call, undefined, error.denial);
				throw error;
			}
		};
		return { ...route, protocol: "tasks", handle };
	}
}
