/** Whose a file is that a command made for the server: commands may be given as root, and the server runs as somebody else. */
import { lchownSync, lstatSync, statSync } from "node:fs";

/**
 * Gives a file to whoever has another file, or a folder. Only root can; what anybody else made stays their own. A link is not
 * followed: whose the folder is could lead root with one to any file of the machine.
 */
export const giveToOwnerOf = (other: string, file: string): void => {
	const { uid, gid } = statSync(other);
	if (lstatSync(file).uid === uid) return;
	try {
		lchownSync(file, uid, gid);
	} catch {
		// Who may not is not root, and has made a file of their own as ever.
	}
};
