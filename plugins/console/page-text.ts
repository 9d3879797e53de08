/** The page before its script runs: it names the files and says what to do without a script. */

/** The front of a temple, as a picture that needs no request of its own. */
const icon =
	"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 20 20'%3E%3Cpath fill='%23006b5b' d='M10 1.5 1.5 6v1.5h17V6zM3 9h2.4v6.5H3zm4 0h2.4v6.5H7zm3.6 0H13v6.5h-2.4zm4 0H17v6.5h-2.4zM1.5 16.5h17v2h-17z'/%3E%3C/svg%3E";

const ending = (names: readonly string[], ends: string): readonly string[] =>
	names.filter((name) => name.endsWith(ends)).map((name) => `/console/assets/${name}`);

export const pageText = (names: readonly string[]): string =>
	[
		"<!doctype html>",
		'<html lang="en">',
		"<head>",
		'<meta charset="utf-8">',
		'<meta name="viewport" content="width=device-width, initial-scale=1">',
		'<meta name="color-scheme" content="light dark">',
		"<title>Portico</title>",
		`<link rel="icon" href="${icon}">`,
		...ending(names, ".woff2").map(
			(path) => `<link rel="preload" href="${path}" as="font" type="font/woff2" crossorigin>`,
		),
		...ending(names, ".css").map((path) => `<link rel="stylesheet" href="${path}">`),
		// Parts are loaded by whoever needs them.
		...ending(names, ".js")
			.filter((path) => !path.includes("/part-"))
			.map((path) => `<script type="module" src="${path}"></script>`),
		"</head>",
		"<body>",
		"<noscript>The console needs JavaScript. Everything in it is also a command: portico help.</noscript>",
		"</body>",
		"</html>",
		"",
	].join("\n");
