/** What runs, what is wrong with the config file, and the config as it is understood. */
import { text, wires } from "../data/read.ts";
import { useAnswer } from "../data/use-answer.ts";
import { Failure } from "../parts/failure.tsx";
import { Head } from "../parts/head.tsx";
import { Scrolled } from "../parts/scrolled.tsx";
import { CheckConfig } from "./check-config.tsx";
import { PluginTable } from "./plugin-table.tsx";
import { Troubles } from "./troubles.tsx";

export const ConfigPage = () => {
	const plugins = useAnswer("/admin/plugins", false);
	const config = useAnswer("/admin/config", false);
	const written = config.data && text(config.data, "text");
	const reload = () => {
		plugins.reload();
		config.reload();
	};
	return (
		<>
			<Head title="Config">
				What runs, and the file that says so. The file is changed where it lies; here it is checked and applied.
			</Head>
			<div class="stack">
				<Troubles />
				<CheckConfig file={config.data && text(config.data, "file")} reloaded={reload} />
				<Failure failure={plugins.failure} />
				{plugins.data && <PluginTable rows={wires(plugins.data, "data")} />}
				<section class="panel" aria-labelledby="understood">
					<header>
						<h2 id="understood">As it is understood</h2>
						<small class="quiet">Defaults filled in, secrets taken out</small>
					</header>
					<Failure failure={config.failure} />
					{written !== undefined && <Scrolled frame="config" label="The config" text={written} />}
				</section>
			</div>
		</>
	);
};
