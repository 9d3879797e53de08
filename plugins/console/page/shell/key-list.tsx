/** All keys that do something, and the switch that lets them rest. */
import { keysOn, switchKeys } from "../data/keyboard.ts";
import { isAdmin } from "../data/session.ts";
import { Closing } from "../parts/closing.tsx";
import { Dialog } from "../parts/dialog.tsx";

const keysFor = (admin: boolean): readonly (readonly [string, string])[] => [
	["/", "search"],
	["C", "create a token"],
	["J K", "next and previous row"],
	["Enter", "open the row"],
	["E", "edit what is open"],
	[
		"G T",
		`go to Tokens; U usage, C calls, K tasks, B callbacks, P playground${admin ? ", M models, F config, E people" : ""}`,
	],
	["?", "this list"],
	["Esc", "close"],
];

export const KeyList = ({ close }: { readonly close: () => void }) => (
	<Dialog title="Keys" close={close}>
		<div class="inside">
			<dl class="facts">
				{keysFor(isAdmin()).map(([key, what]) => (
					<>
						<dt>
							<kbd>{key}</kbd>
						</dt>
						<dd>{what}</dd>
					</>
				))}
			</dl>
			<label class="tick">
				<input
					type="checkbox"
					checked={keysOn.value}
					onChange={({ currentTarget }) => switchKeys(currentTarget.checked)}
				/>
				Single keys do something
			</label>
		</div>
		<Closing close={close} />
	</Dialog>
);
