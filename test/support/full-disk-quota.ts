/** The plugin `quota` on a disk that a test fills: what its journal is to hold then cannot be written. */
import { fileJournals, type Journal, type Journals } from "../../plugins/quota/journal.ts";
import { quotaPlugin } from "../../plugins/quota/plugin.ts";

export const disk = { full: false };

const room = (): void => {
	if (disk.full) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
};

const onDisk = (journal: Journal): Journal => ({
	get size() {
		return journal.size;
	},
	now(line) {
		room();
		journal.now(line);
	},
	soon: (line) => journal.soon(line),
	async kept() {
		await journal.kept();
		room();
	},
	flush() {
		room();
		journal.flush();
	},
	restart(lines) {
		room();
		journal.restart(lines);
	},
	close: (remove) => journal.close(remove),
});

const journals = (folder: string): Journals => {
	const files = fileJournals(folder);
	return { begin: (process, failed) => onDisk(files.begin(process, failed)), left: () => files.left() };
};

export default quotaPlugin({ journals });
