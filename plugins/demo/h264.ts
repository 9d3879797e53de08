/**
 * The smallest H.264 stream (ITU-T H.264, baseline, level 1.1) that every player opens: macroblocks are either stored
 * as they are (I_PCM) or skipped, so there is nothing to predict, transform or code.
 */

/** A frame in planes, 4:2:0; both sides are multiples of 16. */
export interface Frame {
	readonly luma: Uint8Array;
	readonly blue: Uint8Array;
	readonly red: Uint8Array;
}

class Bits {
	private readonly bytes: number[] = [];
	private byte = 0;
	private filled = 0;

	put(value: number, width: number): this {
		for (let bit = width - 1; bit >= 0; bit--) {
			this.byte = (this.byte << 1) | ((value >>> bit) & 1);
			if (++this.filled === 8) {
				this.bytes.push(this.byte);
				this.byte = 0;
				this.filled = 0;
			}
		}
		return this;
	}

	/** Exponential Golomb, unsigned. */
	ue(value: number): this {
		const width = 32 - Math.clz32(value + 1);
		return this.put(0, width - 1).put(value + 1, width);
	}

	align(): this {
		return this.filled === 0 ? this : this.put(0, 8 - this.filled);
	}

	raw(bytes: Uint8Array): this {
		for (const byte of bytes) this.bytes.push(byte);
		return this;
	}

	/** The unit's end, and the bytes that keep a start code from appearing by chance. */
	unit(type: number): Uint8Array {
		this.put(1, 1).align();
		const out = [type];
		let zeros = 0;
		for (const byte of this.bytes) {
			if (zeros >= 2 && byte <= 3) {
				out.push(3);
				zeros = 0;
			}
			out.push(byte);
			zeros = byte === 0 ? zeros + 1 : 0;
		}
		return new Uint8Array(out);
	}
}

/** Sequence parameter set: no reordering, one reference frame. `columns` and `rows` in macroblocks. */
export const sequenceSet = (columns: number, rows: number): Uint8Array => {
	const bits = new Bits().put(66, 8).put(0xc0, 8).put(11, 8).ue(0).ue(0).ue(2).ue(1).put(0, 1);
	return bits
		.ue(columns - 1)
		.ue(rows - 1)
		.put(1, 1)
		.put(1, 1)
		.put(0, 1)
		.put(0, 1)
		.unit(0x67);
};

/** Picture parameter set: variable-length codes, deblocking under the slice's control. */
export const pictureSet = (): Uint8Array =>
	new Bits()
		.ue(0)
		.ue(0)
		.put(0, 1)
		.put(0, 1)
		.ue(0)
		.ue(0)
		.ue(0)
		.put(0, 1)
		.put(0, 2)
		.ue(0)
		.ue(0)
		.ue(0)
		.put(1, 1)
		.put(0, 2)
		.unit(0x68);

const block = (plane: Uint8Array, stride: number, x: number, y: number, size: number): Uint8Array => {
	const bytes = new Uint8Array(size * size);
	for (let row = 0; row < size; row++)
		bytes.set(plane.subarray((y + row) * stride + x, (y + row) * stride + x + size), row * size);
	return bytes;
};

const macroblock = (frame: Frame, columns: number, index: number): readonly Uint8Array[] => {
	const [x, y] = [index % columns, Math.floor(index / columns)];
	const stride = columns * 16;
	return [
		block(frame.luma, stride, x * 16, y * 16, 16),
		block(frame.blue, stride / 2, x * 8, y * 8, 8),
		block(frame.red, stride / 2, x * 8, y * 8, 8),
	];
};

/** A frame that stands alone. */
export const keyFrame = (frame: Frame, columns: number, rows: number): Uint8Array => {
	const bits = new Bits().ue(0).ue(7).ue(0).put(0, 4).ue(0).put(0, 2).ue(0).ue(1);
	for (let index = 0; index < columns * rows; index++) {
		bits.ue(25).align();
		for (const plane of macroblock(frame, columns, index)) bits.raw(plane);
	}
	return bits.unit(0x65);
};

/** A frame that repeats the one before but for the macroblocks named, in rising order; `number` counts frames from the key frame on. */
export const changedFrame = (
	frame: Frame,
	changed: readonly number[],
	columns: number,
	rows: number,
	number: number,
): Uint8Array => {
	const bits = new Bits()
		.ue(0)
		.ue(5)
		.ue(0)
		.put(number % 16, 4)
		.put(0, 1)
		.put(0, 1)
		.put(0, 1)
		.ue(0)
		.ue(1);
	let next = 0;
	for (const index of changed) {
		bits
			.ue(index - next)
			.ue(30)
			.align();
		for (const plane of macroblock(frame, columns, index)) bits.raw(plane);
		next = index + 1;
	}
	if (next < columns * rows) bits.ue(columns * rows - next);
	return bits.unit(0x41);
};
