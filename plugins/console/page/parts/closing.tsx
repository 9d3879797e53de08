/** The bottom of a dialog in which nothing is sent. */
export const Closing = ({ close }: { readonly close: () => void }) => (
	<div class="bottom">
		<button type="button" onClick={close}>
			Close
		</button>
	</div>
);
