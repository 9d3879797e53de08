/** Sound as plain samples, and the file that a client gets of it. Nothing here encodes: WAV is a header before them. */
import { deny, Fault } from "#core";
import { mediaTypeOf } from "./speech-request.ts";

/** Speech that an upstream gave as 16-bit samples of one channel. */
export interface Spoken {
	readonly samples: Uint8Array;
	readonly rate: number;
}

const wavOf = ({ samples, rate }: Spoken): Uint8Array => {
	const header = Buffer.alloc(44);
	header.write("RIFF", 0);
	header.writeUInt32LE(36 + samples.length, 4);
	header.write("WAVEfmt ", 8);
	header.writeUInt32LE(16, 16);
	header.writeUInt16LE(1, 20);
	header.writeUInt16LE(1, 22);
	header.writeUInt32LE(rate, 24);
	header.writeUInt32LE(rate * 2, 28);
	header.writeUInt16LE(2, 32);
	header.writeUInt16LE(16, 34);
	header.write("data", 36);
	header.writeUInt32LE(samples.length, 40);
	return Buffer.concat([header, samples]);
};

/** Throws `Fault` for formats that only an encoder could make. */
export const checkFormat = (format: string | undefined): void => {
	if (format === undefined || format === "wav" || format === "pcm") return;
	throw new Fault(
		deny(
			"unsupported",
			`This model's upstream speaks in plain samples, which are given as "wav" or "pcm", not as "${format.slice(0, 32)}". Ask for one of those.`,
			{ parameter: "response_format" },
		),
	);
};

export const soundOf = (spoken: Spoken, format = "wav"): { readonly bytes: Uint8Array; readonly type: string } => ({
	bytes: format === "pcm" ? spoken.samples : wavOf(spoken),
	type: mediaTypeOf(format),
});
