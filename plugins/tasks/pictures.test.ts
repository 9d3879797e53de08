import { expect, test } from "bun:test";
import { pictureData, pictureOf } from "./pictures.ts";

const base64 = (bytes: string): string => Buffer.from(bytes, "latin1").toString("base64");
const png = base64("\x89PNG\r\n\x1a\nrest");
const file = (bytes: string, type: string): Blob => new Blob([Buffer.from(bytes, "latin1")], { type });

test.each([
	["a file that says what it is", file("a new kind", "image/x-new"), `data:image/x-new;base64,${base64("a new kind")}`],
	["a file of bytes", file("\x89PNG\r\n\x1a\nrest", "application/octet-stream"), `data:image/png;base64,${png}`],
	["a file that says nothing", file("\xff\xd8\xff\xe0", ""), `data:image/jpeg;base64,${base64("\xff\xd8\xff\xe0")}`],
	["a file of another name", file("GIF89a", "image/png"), `data:image/gif;base64,${base64("GIF89a")}`],
	["a label", `data:image/webp;base64,${base64("x")}`, `data:image/webp;base64,${base64("x")}`],
	["a label of more", `data:image/PNG;name=x.png;base64,${base64("x")}`, `data:image/png;base64,${base64("x")}`],
	[
		"a label of bytes",
		`data:;base64,${base64("RIFF1234WEBPVP8 ")}`,
		`data:image/webp;base64,${base64("RIFF1234WEBPVP8 ")}`,
	],
	["no label", base64("0000ftypavif"), `data:image/avif;base64,${base64("0000ftypavif")}`],
	["no label and bytes nobody knows", "aGk=", "data:image/png;base64,aGk="],
	["an address", "https://cdn.example/x.png", "https://cdn.example/x.png"],
	["a record", { image_url: "https://cdn.example/x.png" }, "https://cdn.example/x.png"],
	["another record", { url: "http://cdn.example/x.png" }, "http://cdn.example/x.png"],
])("a picture: %s", async (_, value, picture) => {
	expect(await pictureOf(value, "image")).toBe(picture);
});

test.each([[undefined], [null], [""]])("no picture: %p", async (value) => {
	expect(await pictureOf(value, "image")).toBeUndefined();
});

test.each([
	["an empty file", file("", "image/png"), "empty"],
	["an empty label", "data:image/png;base64,", "empty"],
	["text in a file", file("hello", "text/plain"), "no picture"],
	["a file of unknown bytes", file("hello", "application/octet-stream"), "no picture"],
	["text with its label", `data:text/plain;base64,${base64("hello")}`, "no picture"],
	["a label without base64", "data:image/svg+xml,%3Csvg/%3E", "neither"],
	["a file's name", "cat.png", "neither"],
	// what parsers of forms make of a file whose part has no name, as Java's client sends a bare stream
	["bytes that were read as text", "\ufffdPNG\r\n\x1a\n\0", "`filename`"],
	["another kind of address", "file:///etc/passwd", "neither"],
	["an address that is none", "https://", "address"],
	["a number", 7, "Send the picture"],
	["a list", ["aGk="], "Send the picture"],
])("refused: %s", async (_, value, words) => {
	expect(await pictureOf(value, "mask").catch((error: unknown) => error)).toMatchObject({
		denial: { kind: "invalid_request", parameter: "mask", message: expect.stringContaining(words) },
	});
});

test("a file of a store is refused by name", async () => {
	expect(await pictureOf({ file_id: "file-1" }, "images").catch((error: unknown) => error)).toMatchObject({
		denial: { kind: "unsupported", parameter: "images", message: expect.stringContaining("file_id") },
	});
});

test("the bytes of a picture, and none of an address", () => {
	expect(pictureData("data:image/jpeg;base64,aGk=")).toEqual({ mediaType: "image/jpeg", base64: "aGk=" });
	expect(pictureData("https://cdn.example/x.png")).toBeUndefined();
});
