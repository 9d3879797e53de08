/** A call to begin with, at a model that this gateway has. */
import { useAnswer } from "../data/use-answer.ts";
import { Code } from "../parts/code.tsx";
import { Failure } from "../parts/failure.tsx";
import { snippetPath, snippetsIn } from "./snippets.ts";

export const FirstCall = ({ label }: { readonly label: string }) => {
	const { data, failure } = useAnswer(snippetPath(location.origin, undefined), false);
	const [curl] = snippetsIn(data).find(({ name }) => name === "curl")?.parts ?? [];
	return curl ? <Code label={label} text={curl.text} /> : <Failure failure={failure} />;
};
