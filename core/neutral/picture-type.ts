/** The formats of pictures that every model takes, by how their first bytes look as base64. */
const formats: readonly (readonly [start: RegExp, mime: string])[] = [
	[/^iVBORw0KGgo/, "image/png"],
	[/^\/9j\//, "image/jpeg"],
	[/^R0lGOD/, "image/gif"],
	[/^UklGR.{6}XRUJQ/, "image/webp"],
];

/** The media type that a picture really has; undefined for what is in none of these formats. */
export const pictureType = (base64: string): string | undefined => formats.find(([start]) => start.test(base64))?.[1];
