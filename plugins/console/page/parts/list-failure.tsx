/** What the server said instead of a list; where it has no such list, which plugin would give it. */
import type { Refusal } from "../data/call.ts";
import { Empty } from "./empty.tsx";
import { Failure } from "./failure.tsx";

interface ListFailureProps {
	readonly failure: Refusal | undefined;
	/** Whose list it is. */
	readonly plugin: string;
}

export const ListFailure = ({ failure, plugin }: ListFailureProps) =>
	failure?.status === 404 && failure.message.includes(" is not served here") ? (
		<Empty title="This gateway keeps none.">
			<p>
				Its config has no <code>use: {plugin}</code> among the plugins.
			</p>
		</Empty>
	) : (
		<Failure failure={failure} />
	);
