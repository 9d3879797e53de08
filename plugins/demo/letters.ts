/** A small alphabet of dots, five wide and seven high, drawn for this demo. */

/** Each letter is seven rows from the top; a row is five dots as one base-32 digit, the leftmost dot worth 16. */
const shapes: Readonly<Record<string, string>> = {
	A: "4ahhvhh",
	B: "uhhuhhu",
	C: "ehggghe",
	D: "uhhhhhu",
	E: "vgguggv",
	F: "vgguggg",
	G: "ehgnhhf",
	H: "hhhvhhh",
	I: "e44444e",
	J: "72222ic",
	K: "hikokih",
	L: "ggggggv",
	M: "hrllhhh",
	N: "hpplljh",
	O: "ehhhhhe",
	P: "uhhuggg",
	Q: "ehhhlid",
	R: "uhhukih",
	S: "fgge11u",
	T: "v444444",
	U: "hhhhhhe",
	V: "hhhhha4",
	W: "hhhllra",
	X: "hha4ahh",
	Y: "hha4444",
	Z: "v1248gv",
	0: "ehjlphe",
	1: "4c4444e",
	2: "eh1248v",
	3: "v2421he",
	4: "26aiv22",
	5: "vgu11he",
	6: "68guhhe",
	7: "v124888",
	8: "ehhehhe",
	9: "ehhf12c",
	".": "00000cc",
	",": "0000cc8",
	":": "0cc0cc0",
	";": "0cc0cc8",
	"!": "4444404",
	"?": "eh12404",
	"'": "4480000",
	'"': "aa00000",
	"-": "000v000",
	"+": "044v440",
	"=": "00v0v00",
	"/": "1124488",
	"(": "2488842",
	")": "8422248",
	"&": "cigikid",
	"%": "op248j3",
	"#": "aavavaa",
	"*": "0la4al0",
	"@": "ehnlngf",
	_: "000000v",
	" ": "0000000",
};

/** What stands for letters that are not in the alphabet: an empty box. */
const unknown = "vhhhhhv";

export const letterWidth = 5;
export const letterHeight = 7;

/** Calls `dot` with the corner of every dot of one letter, each dot a square of `scale`. */
const drawLetter = (
	letter: string,
	left: number,
	top: number,
	scale: number,
	dot: (x: number, y: number, size: number) => void,
): void => {
	const shape = shapes[letter] ?? unknown;
	for (let at = 0; at < letterWidth * letterHeight; at++) {
		const [across, down] = [at % letterWidth, Math.floor(at / letterWidth)];
		if (Number.parseInt(shape.charAt(down), 32) & (16 >> across)) dot(left + across * scale, top + down * scale, scale);
	}
};

/** Draws lines of text, letters one dot apart. */
export const drawText = (
	lines: readonly string[],
	left: number,
	top: number,
	scale: number,
	dot: (x: number, y: number, size: number) => void,
): void => {
	for (const [row, line] of lines.entries())
		for (const [column, letter] of [...line.toUpperCase()].entries())
			drawLetter(letter, left + column * (letterWidth + 1) * scale, top + row * (letterHeight + 2) * scale, scale, dot);
};

/** Words no longer than `width`. */
const piecesOf = (text: string, width: number): readonly string[] =>
	text
		.trim()
		.split(/\s+/)
		.flatMap((word) => word.match(new RegExp(`.{1,${width}}`, "gu")) ?? []);

/** Words into lines of at most `width` letters and at most `height` lines; what does not fit ends in dots. */
export const wrap = (text: string, width: number, height: number): readonly string[] => {
	const lines = [""];
	for (const piece of piecesOf(text, width)) {
		const line = lines.at(-1) ?? "";
		if (line === "") lines[lines.length - 1] = piece;
		else if (line.length + 1 + piece.length > width) lines.push(piece);
		else lines[lines.length - 1] = `${line} ${piece}`;
	}
	if (lines.length <= height) return lines;
	const last = (lines[height - 1] ?? "").slice(0, Math.max(0, width - 3));
	return [...lines.slice(0, height - 1), `${last}...`];
};
