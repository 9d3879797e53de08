/** The pages of `docs/` that are made from the source. */
import { clientsPage } from "./clients-page.ts";
import { referencePage } from "./reference-page.ts";
import { settingsPage } from "./settings-page.ts";

export const pages: Readonly<Record<string, () => string | Promise<string>>> = {
	"clients.md": clientsPage,
	"reference.md": referencePage,
	"settings.md": settingsPage,
};
