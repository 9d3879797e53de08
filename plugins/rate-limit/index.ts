/** The plugin `rate-limit`: how much a minute may bring, and how many calls may run at once. */
import { createRateLimit } from "./plugin.ts";

export default createRateLimit();
