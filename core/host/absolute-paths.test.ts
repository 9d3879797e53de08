import { expect, test } from "bun:test";
import { baseFolder, placesAt } from "./absolute-paths.ts";

const places = { url: "file:data/portico.db", dataFolder: undefined };

test.each([
	["/etc/portico/portico.yaml", "file:/etc/portico/data/portico.db", "/etc/portico/data"],
	["/srv/config/portico.yaml", "file:/srv/data/portico.db", "/srv/data"],
	// As in a container, or of a service that names no folder to work in.
	["/portico.yaml", "file:/data/portico.db", "/data"],
	["/config/portico.yaml", "file:/data/portico.db", "/data"],
	["/a b#c/portico.yaml", "file:/a b%23c/data/portico.db", "/a b#c/data"],
])("the data of %s is beside it", (file, url, dataFolder) => {
	expect(placesAt(baseFolder(file), places)).toEqual({ url, dataFolder });
});
