/** The plugin `quota`: a token may be held to an amount of money, exactly. */
import { quotaPlugin } from "./plugin.ts";

export default quotaPlugin();
