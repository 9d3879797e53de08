/** Where the focus goes when what had it is gone: whoever uses keys or a reader of screens would begin at the top of the page again. */
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** Nothing has it: what had it was taken away, or it never was anywhere. */
export const focusIsLost = (): boolean => document.activeElement === null || document.activeElement === document.body;

/** The list stays where it is. */
export const focusHeading = (): void => document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });

/** After a load the browser begins at the top, as everywhere; what comes after it takes the focus along. */
let first = true;

/** Of a page, or of the way in, as it comes onto the screen. Without a heading what is shown looks after the focus itself. */
export const useArrival = (heading?: RefObject<HTMLElement>): void =>
	useLayoutEffect(() => {
		if (!first && (focusIsLost() || document.activeElement?.closest("nav"))) heading?.current?.focus();
		first = false;
	}, []);
