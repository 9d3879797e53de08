/** How many seconds a file of sound lasts at most, by its own frames and headers; nothing of it is decoded. */
import { adtsSeconds, isAdts } from "./adts.ts";
import { flacSeconds, isFlac } from "./flac.ts";
import { isM4a, m4aSeconds } from "./m4a.ts";
import { isMp3, mp3Seconds } from "./mp3.ts";
import { isOgg, oggSeconds } from "./ogg.ts";
import { slowestBytesPerSecond } from "./slowest.ts";
import { isWav, wavSeconds } from "./wav.ts";
import { isWebm, webmSeconds } from "./webm.ts";

const kinds = [
	[isWav, wavSeconds],
	[isFlac, flacSeconds],
	[isOgg, oggSeconds],
	[isWebm, webmSeconds],
	[isM4a, m4aSeconds],
	[isAdts, adtsSeconds],
	[isMp3, mp3Seconds],
] as const;

/** For what is not known, as long as its bytes can last. */
export const secondsOf = (bytes: Uint8Array): number => {
	for (const [is, seconds] of kinds) if (is(bytes)) return seconds(bytes) ?? bytes.length / slowestBytesPerSecond;
	return bytes.length / slowestBytesPerSecond;
};
