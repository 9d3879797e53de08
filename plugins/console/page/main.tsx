/** The console's page, from its first line: letters, keys, links, and the component that holds everything. */
import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import "./styles/colours.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/fields.css";
import "./styles/parts.css";
import "./styles/code.css";
import "./styles/table.css";
import "./styles/dialog.css";
import "./styles/shell.css";
import "./styles/usage.css";
import "./styles/calls.css";
import "./styles/contrast.css";
import { App } from "./app.tsx";
import { listenToKeys } from "./data/keyboard.ts";
import { followLinks } from "./data/location.ts";
import { loadFonts } from "./fonts.ts";

loadFonts();
followLinks();
listenToKeys();
render(<App />, document.body);
