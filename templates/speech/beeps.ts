/** A WAV of one beep for each letter. */

const rate = 8000;
const letterSamples = rate / 4;

export const beeps = (text: string): Uint8Array => {
	const samples = letterSamples * text.length;
	const bytes = Buffer.alloc(44 + samples);
	bytes.write("RIFF", 0);
	bytes.writeUInt32LE(36 + samples, 4);
	bytes.write("WAVEfmt ", 8);
	bytes.writeUInt32LE(16, 16);
	bytes.writeUInt16LE(1, 20);
	bytes.writeUInt16LE(1, 22);
	bytes.writeUInt32LE(rate, 24);
	bytes.writeUInt32LE(rate, 28);
	bytes.writeUInt16LE(1, 32);
	bytes.writeUInt16LE(8, 34);
	bytes.write("data", 36);
	bytes.writeUInt32LE(samples, 40);
	for (let sample = 0; sample < samples; sample++) {
		const pitch = 200 + 10 * (text.charCodeAt(Math.floor(sample / letterSamples)) % 64);
		bytes[44 + sample] = 128 + Math.round(60 * Math.sin((2 * Math.PI * pitch * sample) / rate));
	}
	return new Uint8Array(bytes);
};
