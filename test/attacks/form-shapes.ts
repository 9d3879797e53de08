/** Forms as attackers write them: each a media type and a body, and whether any of it may go on to an upstream. */
import { gzipSync } from "node:zlib";
import { wav } from "../../plugins/audio/fixtures/sounds.ts";

interface FormShape {
	readonly name: string;
	readonly type: string;
	readonly body: Uint8Array;
	readonly headers?: Readonly<Record<string, string>>;
	/** What it is answered with. */
	readonly status: number;
	/** Words of the message that tell what is wrong. */
	readonly says?: string;
}

const boundary = "edge-of-a-part";
const multipart = `multipart/form-data; boundary=${boundary}`;
const end = `--${boundary}--\r\n`;
const part = (head: string, value = "x"): string =>
	`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
const model = part('name="model"', "listener");
const file = part('name="file"; filename="a.wav"\r\nContent-Type: audio/wav', Buffer.from(wav(0.1)).toString("latin1"));
const good = model + file + end;

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");
const shape = (name: string, text: string, says: string, type = multipart): FormShape => ({
	name,
	type,
	body: bytes(text),
	status: 400,
	says,
});

const inner = (depth: number): string => {
	let text = "x";
	for (let level = 0; level < depth; level++)
		text = `--b${level}\r\nContent-Disposition: form-data; name="file"\r\nContent-Type: multipart/mixed; boundary=b${level - 1}\r\n\r\n${text}\r\n--b${level}--`;
	return text;
};
const nested = part(`name="file"\r\nContent-Type: multipart/mixed; boundary=b49`, inner(50));

/** `size`: how large the large ones are, in bytes. */
export const formShapes = (size: number): readonly FormShape[] => [
	shape("no boundary", good, "boundary", "multipart/form-data"),
	shape("a boundary of 10 KB", good, "boundary", `multipart/form-data; boundary=${"b".repeat(10_000)}`),
	shape("a boundary that is a pattern", good, "does not hold the boundary", "multipart/form-data; boundary=(a+)+$"),
	shape("10,000 parts", `${part('name="x"').repeat(10_000)}${good}`, "more than 64 parts"),
	shape("10,000 models", `${model.repeat(10_000)}${file}${end}`, "more than 64 parts"),
	shape("two models", model + part('name="model"', "other") + file + end, "more than once"),
	shape("two models, one of them in capitals", model + part('Name="model"', "other") + file + end, "more than once"),
	shape("a model that is a file", part('name="model"; filename="m"', "listener") + file + end, "as a file"),
	shape(
		"a model in an encoding that some readers undo",
		part('name="model"\r\nContent-Transfer-Encoding: quoted-printable', "listener=") + file + end,
		"more than one way",
	),
	shape(
		"a file in such an encoding",
		model + part('name="file"; filename="a.wav"\r\ncontent-transfer-encoding: Base64', "UklGRg==") + end,
		"more than one way",
	),
	// Flask reads the first and the third of these as a second model, FastAPI the second.
	shape(
		"a model whose name comes in pieces",
		`${part('name="x"; name*0="mo"; name*1="del"', "dear")}${good}`,
		"one way",
	),
	shape("a model behind a quote", `${part('name="x\\\\"; filename="; name=model; c="', "dear")}${good}`, "one way"),
	shape("a model in a part", part('name="x"', `y\n${model}`) + good, "not all readers"),
	shape("no model", file + end, "model"),
	shape("no file", model + end, "file"),
	shape("a form within a form, 50 deep", model + nested + end, "form of its own"),
	shape("a part's head of 1 MB", `${part(`name="x"\r\nX-Long: ${"h".repeat(2 ** 20)}`)}${good}`, "head of a part"),
	shape("a part without a name", `${part('filename="a.wav"')}${good}`, "no name"),
	shape("a name of 10 KB", `${part(`name="${"n".repeat(3000)}"`)}${good}`, "no name"),
	shape("a name with control characters", `${part('name="a\u0000\u0001b"')}${good}`, "more than one way"),
	shape(
		"a file's name that breaks the line",
		`${model}${part('name="file"; filename="a\rX: y"')}${end}`,
		"more than one way",
	),
	shape(
		"a large file without the last boundary",
		model + part('name="file"; filename="a.wav"', "s".repeat(size)),
		"cut off",
	),
	shape(
		"almost boundaries, all the way",
		`${model}${`\r\n--${boundary.slice(0, -1)}`.repeat(size / 17)}${end}`,
		"form",
	),
	{ ...shape("gzip that is none", good, "decompressed"), headers: { "content-encoding": "gzip" } },
	shape(
		"a second model in the letters that the form tells",
		model + part('name="+AG0-odel"', "dear") + file + end,
		'charset "utf-7"',
		`${multipart}; charset=utf-7`,
	),
	{
		name: "gzip that unpacks to a thousand times its size",
		type: multipart,
		body: gzipSync(Buffer.alloc(64 * 2 ** 20, 120)),
		headers: { "content-encoding": "gzip" },
		status: 413,
		says: "larger",
	},
	{
		name: "a file of 60 MB",
		type: multipart,
		body: bytes(model + part('name="file"; filename="a"', "s".repeat(60 * 2 ** 20)) + end),
		status: 413,
		says: "larger",
	},
	// Nothing wrong with these: what a file is called is no business of a gateway's.
	{ name: "gzip", type: multipart, body: gzipSync(bytes(good)), headers: { "content-encoding": "gzip" }, status: 200 },
	{
		name: "a file's name with a path",
		type: multipart,
		body: bytes(model + part('name="file"; filename="../../etc/passwd"') + end),
		status: 200,
	},
];
