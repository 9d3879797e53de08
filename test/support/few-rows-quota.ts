/** The plugin `quota`, for which five rows that wait for the database are too many. */
import { quotaPlugin } from "../../plugins/quota/plugin.ts";

export default quotaPlugin({ mostWaiting: 5 });
