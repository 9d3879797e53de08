/** Serves the page under `/console` and its files under `/console/assets`. */
import { gzipSync } from "node:zlib";
import { bundlePage, notServed, type PageFile, type PageSource, type PublicRoute, renderOwnDenial } from "#core";
import { pageText } from "./page-text.ts";

/** Nothing but the page's own files, no word of which stands in the page itself. */
const policy = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"font-src 'self'",
	"img-src 'self' data:",
	"connect-src 'self'",
	"form-action 'self'",
	"frame-ancestors 'none'",
	"base-uri 'none'",
].join("; ");

const securityHeaders = {
	"content-security-policy": policy,
	"x-content-type-options": "nosniff",
	"referrer-policy": "no-referrer",
	"cross-origin-opener-policy": "same-origin",
	"cross-origin-resource-policy": "same-origin",
};

const notBuilt =
	"The console's page has not been built here. Run `npm run console` in Portico's folder once; on Bun it is built by itself.\n";

/** Compressed once. */
const packedFiles = new WeakMap<PageFile, Uint8Array<ArrayBuffer>>();

const packed = (file: PageFile): Uint8Array<ArrayBuffer> => {
	const known = packedFiles.get(file) ?? new Uint8Array(gzipSync(file.bytes));
	packedFiles.set(file, known);
	return known;
};

interface Page {
	readonly html: string;
	readonly files: ReadonlyMap<string, PageFile>;
}

const read = async (source: PageSource): Promise<Page> => {
	const files = await bundlePage(source);
	return {
		html: files.length === 0 ? "" : pageText(files.map(({ name }) => name)),
		files: new Map(files.map((file) => [file.name, file])),
	};
};

export const pageRoutes = (source: PageSource): readonly PublicRoute[] => {
	/** Made at the first request, so that a start does not wait for it. A failure is not kept. */
	let made: Promise<Page> | undefined;
	const page = async (): Promise<Page> => {
		made ??= read(source);
		try {
			return await made;
		} catch (error) {
			made = undefined;
			throw error;
		}
	};

	const showPage = async (): Promise<Response> => {
		const { html } = await page();
		if (html === "")
			return new Response(notBuilt, { status: 503, headers: { ...securityHeaders, "content-type": "text/plain" } });
		return new Response(html, {
			headers: { ...securityHeaders, "content-type": "text/html;charset=utf-8", "cache-control": "no-cache" },
		});
	};

	const showFile: PublicRoute["handle"] = async (call) => {
		const file = (await page()).files.get(call.params["*"] ?? "");
		if (!file) {
			const { status, headers, body } = renderOwnDenial(notServed(call.request));
			return Response.json(body, { status, headers: { ...headers, ...securityHeaders } });
		}
		const headers = {
			...securityHeaders,
			"content-type": file.type,
			"cache-control": "public, max-age=31536000, immutable",
			vary: "accept-encoding",
		};
		const takesGzip = /\bgzip\b/.test(call.request.headers.get("accept-encoding") ?? "");
		if (!takesGzip || file.type.startsWith("font/")) return new Response(file.bytes, { headers });
		return new Response(packed(file), { headers: { ...headers, "content-encoding": "gzip" } });
	};

	const route = (path: string, summary: string, handle: PublicRoute["handle"]): PublicRoute => ({
		method: "GET",
		path,
		access: "public",
		summary,
		handle,
	});
	return [
		route("/console", "The console.", showPage),
		route("/console/*", "A page of the console.", showPage),
		route("/console/assets/*", "A file of the console's page.", showFile),
	];
};
