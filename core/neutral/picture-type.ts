/** The formats of pictures, by how their bytes begin. */
const formats: readonly (readonly [beginning: RegExp, type: string])[] = [
	[/^\x89PNG/, "image/png"],
	[/^\xff\xd8\xff/, "image/jpeg"],
	[/^GIF8/, "image/gif"],
	[/^RIFF.{4}WEBP/s, "image/webp"],
	[/^.{4}ftypavif/s, "image/avif"],
	[/^.{4}ftyp(?:heic|heix|mif1)/s, "image/heic"],
];

/** The media type that a picture really has, whatever it is called; undefined for what is in none of these formats. */
export const pictureType = (base64: string): string | undefined => {
	const beginning = Buffer.from(base64.slice(0, 64), "base64").toString("latin1");
	return formats.find(([pattern]) => pattern.test(beginning))?.[1];
};
