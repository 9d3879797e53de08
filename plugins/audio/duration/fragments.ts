/** The table of a fragment of an MP4 (`trun`), which tells how long its frames are, or leaves that to others. */

/** Bytes of the longest frame; undefined where the table does not tell, infinite where it is not whole. */
export const longestSample = (box: Buffer): number | undefined => {
	const flags = box.readUInt32BE(0);
	if ((flags & 0x200) === 0) return undefined;
	const has = (flag: number): number => (flags & flag ? 4 : 0);
	const frames = box.readUInt32BE(4);
	const first = 8 + has(1) + has(4);
	const each = has(0x100) + has(0x200) + has(0x400) + has(0x800);
	if (first + frames * each > box.length) return Number.POSITIVE_INFINITY;
	let longest = 0;
	for (let frame = 0; frame < frames; frame++)
		longest = Math.max(longest, box.readUInt32BE(first + frame * each + has(0x100)));
	return longest;
};
