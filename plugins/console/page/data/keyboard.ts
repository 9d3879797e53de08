/** Single keys that do something. They rest while somebody writes or a dialog is open, and can be switched off. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { go } from "./location.ts";

const setting = "portico-single-keys";

export const keysOn = signal(localStorage.getItem(setting) !== "off");

export const switchKeys = (on: boolean): void => {
	keysOn.value = on;
	localStorage.setItem(setting, on ? "on" : "off");
};

type Actions = Readonly<Record<string, () => void>>;

/** What the components on the screen do at a key; the latest counts. */
const shown: Actions[] = [];

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
	(event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]") !== null) ||
	document.querySelector("dialog[open]") !== null;

/** Moves the focus to the next or the previous row's link. */
const moveRow = (step: 1 | -1): void => {
	const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
	const at = rows.indexOf(document.activeElement as HTMLElement);
	rows[at === -1 ? (step === 1 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step))]?.focus();
};

let goingSince = 0;

const press = (event: KeyboardEvent): void => {
	if (isBusy(event)) return;
	const key = event.key.toLowerCase();
	if (performance.now() - goingSince < 1500 && pages[key] !== undefined) {
		goingSince = 0;
		event.preventDefault();
		go(`/console/${pages[key]}`);
		return;
	}
	if (key === "g") goingSince = performance.now();
	else if (key === "j") moveRow(1);
	else if (key === "k") moveRow(-1);
	else {
		const action = shown.findLast((actions) => actions[key] !== undefined)?.[key];
		if (!action) return;
		event.preventDefault();
		action();
	}
};

export const listenToKeys = (): void => document.addEventListener("keydown", press);

/** While the component is shown. */
export const useKeys = (actions: Actions): void => {
	useEffect(() => {
		shown.push(actions);
		return () => void shown.splice(shown.indexOf(actions), 1);
	});
};
