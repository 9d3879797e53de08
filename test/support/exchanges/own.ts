/**
 * Small exchanges of our own, in the form of the recorded ones: what every checkout tests with, also where the shared
 * folder is not there. One answer whole and one streamed of each kind: words, thoughts with a call, and what is refused.
 */
import type { Recording } from "../recordings.ts";
import { chat } from "./chat-completions.ts";
import { generateContent } from "./generate-content.ts";
import { messages } from "./messages.ts";
import { responses } from "./responses.ts";

export const ownExchanges: readonly Recording[] = [...chat, ...responses, ...messages, ...generateContent];
