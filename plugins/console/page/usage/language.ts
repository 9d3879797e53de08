/**
 * uPlot makes a number format of the browser's language while it is loaded, and throws where that is no language tag, as
 * "C" or "en_US" of a desktop's locale. The page writes its own figures, so any language will do.
 */
try {
	Intl.getCanonicalLocales(navigator.language);
} catch {
	Object.defineProperty(navigator, "language", { value: "en" });
}
