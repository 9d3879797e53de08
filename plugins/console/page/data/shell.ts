/** Words of others in a command that somebody pastes into a shell: a client may ask for any model, so its name may be a command too. */

/** As one word of which the shell takes nothing for its own. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A model's name within a path; what divides its parts stays. */
export const inPath = (model: string): string => model.split("/").map(encodeURIComponent).join("/");
