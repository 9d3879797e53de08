/** Single keys that do something. They rest while somebody writes, in a dialog all but its own do, and they can be switched off. */
import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { go } from "./location.ts";

const setting = "portico-single-keys";

export const keysOn = signal(localStorage.getItem(setting) !== "off");

export const switchKeys = (on: boolean): void => {
	keysOn.value = on;
	localStorage.setItem(setting, on ? "on" : "off");
};

type Actions = Readonly<Record<string, () => void>>;

/** What the components on the screen do at a key, in a dialog or before one is open; the latest counts. */
const shown: { readonly actions: Actions; readonly inDialog: boolean }[] = [];

const pages: Readonly<Record<string, string>> = {
	t: "tokens",
	u: "usage",
	c: "calls",
	k: "tasks",
	b: "callbacks",
	m: "models",
	p: "playground",
	f: "config",
	e: "people",
};

const isBusy = (event: KeyboardEvent): boolean =>
	!keysOn.value ||
	event.metaKey ||
	event.ctrlKey ||
	event.altKey ||
	event.repeat ||
	(event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]") !== null);

/** Moves the focus to the next or the previous row's link. */
const moveRow = (step: 1 | -1): void => {
	const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
	const at = rows.indexOf(document.activeElement as HTMLElement);
	rows[at === -1 ? (step === 1 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step))]?.focus();
};

/** When G was pressed, as the page's own time has it, which begins at nought. */
let goingSince = Number.NEGATIVE_INFINITY;

/** Whether it was a key to another page or row. */
const moves = (key: string): boolean => {
	const page = performance.now() - goingSince < 1500 ? pages[key] : undefined;
	goingSince = key === "g" ? performance.now() : Number.NEGATIVE_INFINITY;
	if (page !== undefined) go(`/console/${page}`);
	else if (key === "j") moveRow(1);
	else if (key === "k") moveRow(-1);
	else return false;
	return true;
};

const press = (event: KeyboardEvent): void => {
	const dialogs = document.querySelectorAll("dialog[open]").length;
	if (isBusy(event) || dialogs > 1) return;
	const key = event.key.toLowerCase();
	const inDialog = dialogs === 1;
	const own = shown.findLast((one) => one.inDialog === inDialog && one.actions[key] !== undefined)?.actions[key];
	const moved = !inDialog && moves(key);
	if (moved || own) event.preventDefault();
	if (!moved) own?.();
};

export const listenToKeys = (): void => document.addEventListener("keydown", press);

/** While the component is shown: from before it is painted, so that no key is lost that answers what somebody sees. */
export const useKeys = (actions: Actions, inDialog = false): void => {
	useLayoutEffect(() => {
		const mine = { actions, inDialog };
		shown.push(mine);
		return () => void shown.splice(shown.indexOf(mine), 1);
	});
};
