/**
 * For a button that may come to stand where another was pressed: the second click of a double click was meant for that one.
 * It would enable again what was just disabled, or put away a key that nobody has read. A key pressed is no click to count.
 */
export const firstClick =
	(act: () => void) =>
	({ detail }: MouseEvent): void => {
		if (detail < 2) act();
	};
