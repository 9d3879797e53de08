/** What the host tells plugins about itself. */
import { service } from "../plugin/token.ts";

export interface PluginRow {
	readonly name: string;
	readonly use: string;
	readonly summary: string;
	readonly gives: readonly string[];
	readonly needs: readonly string[];
	readonly routes: readonly string[];
}

export interface House {
	/** A folder of this node's own for files that are not in the database (journal, task results). Made on first use. */
	readonly dataFolder: string;
	/** This node's name, stable across restarts of one data folder. */
	readonly node: string;
	plugins(): readonly PluginRow[];
	/** True from the moment a stop was asked for. */
	draining(): boolean;
}

export const house = service<House>("house");
