/** The running whole: one store, one current generation of plugins, and the handler that requests go through. */
import type { ServerConfig } from "../config/schema-core.ts";
import { usualModel } from "../connect/usual-model.ts";
import type { FirstToken, HostInfo, PluginRow } from "../contract/host-info.ts";
import { jobs } from "../contract/job.ts";
import { router } from "../contract/router.ts";
import { isOutage } from "../errors/store-fault.ts";
import { addressOf, type Connection } from "../runtime/serve.ts";
import { spaceOf } from "../store/free-space.ts";
import type { ByteBudget } from "../wire/byte-budget.ts";
import { auditOf } from "./audit.ts";
import { awaitRestart } from "./await-restart.ts";
import { createBackups } from "./backups.ts";
import { type Blueprint, configText } from "./blueprint.ts";
import { budgetFor, buildGateway } from "./build.ts";
import { type CertificateState, certificateComplaints } from "./certificate.ts";
import { discreetLog, secretsOf } from "./discreet-log.ts";
import { type Generation, said, tablesInOrder } from "./generation.ts";
import { patienceMs } from "./in-time.ts";
import { KeptThings } from "./kept.ts";
import { OldGenerations, retire } from "./old-generations.ts";
import { ownRoutes } from "./own-routes.ts";
import type { PorticoOptions } from "./portico-options.ts";
import { callsOf, hostLoad, type Running } from "./running.ts";
import { type JobRuns, startJobs } from "./start-jobs.ts";
import { type ReloadOutcome, Troubles } from "./troubles.ts";
import { tellTroubles, troublesTogether } from "./troubles-together.ts";
import { notWell, upstreamStates } from "./upstream-states.ts";

export class Portico {
	/** What a start greets with. */
	firstToken: FirstToken | undefined;
	/** A link for the first sign-in of all. */
	firstSignIn: ((address: string) => Promise<string | undefined>) | undefined;
	readonly log: PorticoOptions["log"];
	/** Of the config that runs: a reload may have changed it. */
	server: ServerConfig;
	private readonly options: PorticoOptions;
	private readonly kept = new KeptThings();
	/** What bodies and answers of all calls hold. */
	readonly budget: ByteBudget;
	private readonly old: OldGenerations;
	private readonly jobRuns: JobRuns = new Map();
	private current: Running | undefined;
	private servedAt: string | undefined;
	private leaving = false;
	private stopping = false;
	/** Ends what is under way while it stops, as the end of its time does. */
	readonly mustEnd = new AbortController();
	private reloaded = true;
	private readonly troubles: Troubles;
	private readonly secrets = new Set<string>();
	private readonly ownTroubles = () => ({
		data: this.troubles.list(),
		upstreams: notWell(this.current?.generation, this.options.clock.now()),
	});
	private readonly endAnswers: (() => void) | undefined;
	private reloading: Promise<void> = Promise.resolve();

	constructor(options: PorticoOptions) {
		const { clock, store, dataFolder } = options;
		const { url } = options.blueprint.config.database;
		this.troubles = new Troubles({ clock, outage: store.outage, freeBytes: () => spaceOf(dataFolder)?.free, url });
		this.log = discreetLog(this.troubles.failing.heardIn(options.log), this.secrets);
		this.options = { ...options, log: this.log };
		this.old = new OldGenerations(clock, this.log, this.mustEnd.signal);
		this.endAnswers = tellTroubles(options.workers, this.ownTroubles);
		this.server = options.blueprint.config.server;
		this.budget = budgetFor(this.server);
	}

	/** Builds the generation and checks it whole, without starting it. */
	async check(): Promise<{ readonly generation?: Generation; readonly complaints: readonly string[] }> {
		const { built, complaints } = await this.build(this.options.blueprint);
		return complaints.length === 0 && built ? { generation: built.generation, complaints } : { complaints };
	}

	/** Builds, migrates and starts. Returns complaints instead when it cannot. */
	async start(): Promise<readonly string[]> {
		const { built, complaints } = await this.build(this.options.blueprint);
		if (built && complaints.length === 0) await this.activate(built);
		return complaints;
	}

	/** What the listener tells of its certificate. */
	get certificate(): CertificateState {
		return this.troubles.certificate;
	}

	serves(address: string): void {
		this.servedAt = address;
	}

	handle(request: Request, connection: Connection): Response | Promise<Response> {
		if (!this.current) throw new Error("a request came before the start");
		return this.current.handler.handle(request, connection);
	}

	/** The plugins that run now; undefined before the first start. */
	get generation(): Generation | undefined {
		return this.current?.generation;
	}

	/** Builds anew beside what runs and swaps; what runs stays when the new cannot be built. One after the other. */
	reload(done?: () => void): Promise<readonly string[]> {
		const reloaded = this.reloading.then(() => this.replace(done));
		this.reloading = reloaded.then(
			(outcome) => {
				this.reloaded = outcome.complaints.length === 0;
				this.troubles.reloaded(outcome);
			},
			() => undefined,
		);
		return reloaded.then(({ complaints }) => complaints);
	}

	/** From now on `/health` says that this node is not ready, so that a balancer sends calls elsewhere; calls are still answered. */
	leave(): void {
		this.leaving = true;
	}

	/** From now on this node is not ready; what is under way may finish, for so long as the config says. */
	drain(): void {
		if (this.stopping) return;
		this.stopping = true;
		this.options.clock.after(this.server.drainSeconds * 1000, () => this.mustEnd.abort());
	}

	/** Calls that are running, on whatever generation. */
	openCalls(): number {
		return this.all().reduce((sum, built) => sum + callsOf(built), 0);
	}

	/** Ends what is still open, stops every plugin, writes out what is queued. The store stays open for its owner to close. */
	async stop(): Promise<void> {
		this.drain();
		for (const built of this.all()) built.relay?.shutDown();
		await this.reloading;
		this.endAnswers?.();
		const { current } = this;
		this.current = undefined;
		// Beside each other, as while one takes the other's place: what hangs in one does not keep the other waiting.
		await Promise.all([this.old.stop(), current && retire(current, this.mustEnd.signal)]);
		await this.kept.close(this.log);
	}

	private all(): readonly Running[] {
		return [...this.old.all(), ...(this.current ? [this.current] : [])];
	}

	/** What the config file asks for, built and not started; with complaints it is dropped. */
	private async readAgain(): Promise<{ blueprint?: Blueprint; built?: Running; complaints: readonly string[] }> {
		const { blueprint, complaints } = await this.options.again();
		if (!blueprint) return { complaints };
		const { complaints: wrong, ...more } = await this.build(blueprint);
		return { blueprint, ...more, complaints: [...wrong, ...certificateComplaints(blueprint.config.server)] };
	}

	private async replace(done?: () => void): Promise<ReloadOutcome> {
		const { blueprint, built, complaints } = await this.readAgain();
		if (!blueprint || !built || complaints.length > 0) return { complaints };
		if (this.stopping) return { complaints: ["Portico is being stopped"] };
		const previous = this.current;
		previous?.jobs?.pause();
		try {
			await this.activate(built);
		} catch (error) {
			previous?.jobs?.resume();
			await retire(built, this.mustEnd.signal);
			return {
				complaints: [`the new configuration could not be started: ${said(error)}`],
				...(isOutage(error) && { withoutDatabase: true }),
			};
		}
		this.server = blueprint.config.server;
		if (previous) this.old.letGo(previous);
		this.options.log.info("reloaded");
		done?.();
		awaitRestart(this.troubles, this.options.blueprint, blueprint, this.log);
		return { complaints: [] };
	}

	private async activate(built: Running): Promise<void> {
		const { generation } = built;
		await this.options.store.migrate(tablesInOrder(generation));
		// The first start may have much to put right; a later one must not keep from what runs its jobs and further reloads.
		await generation.start(this.current && patienceMs);
		const all = [...generation.all(jobs), ...built.ownJobs];
		if (this.options.serving) built.jobs = startJobs(all, this.jobRuns, this.log, this.troubles.jobs);
		this.current = built;
	}

	private async build(blueprint: Blueprint): Promise<{ built?: Running; complaints: readonly string[] }> {
		for (const secret of secretsOf(blueprint)) this.secrets.add(secret);
		const audit = auditOf(() => this.current?.generation, this.options.log);
		const backups = createBackups({ ...this.options, config: blueprint.config, audit });
		const { built, complaints } = await buildGateway({
			...this.options,
			blueprint,
			hostInfo: (rows) => this.hostInfoFor(rows, blueprint.config.server),
			own: (rows) => [
				backups.route,
				...ownRoutes({
					version: this.options.version,
					unready: () => (this.leaving || this.stopping ? "stopping" : this.troubles.unready()),
					sharesDatabase: this.troubles.sharesDatabase,
					upstreams: () => upstreamStates(this.current?.generation),
					plugins: rows,
					model: () => usualModel(this.current?.generation.given(router)?.models() ?? []),
					config: () => ({ file: blueprint.path, text: configText(blueprint) }),
					check: async () => (await this.readAgain()).complaints,
					reload: () => this.reload(this.options.reloaded),
					troubles: () => troublesTogether(this.options.workers, this.ownTroubles),
					audit,
				}),
			],
			draining: () => this.stopping,
			budget: this.budget,
		});
		return built ? { built: { ...built, ownJobs: [...backups.jobs, this.troubles.job] }, complaints } : { complaints };
	}

	private hostInfoFor(rows: () => readonly PluginRow[], { httpProxy: proxy, host, port, tls }: ServerConfig): HostInfo {
		const { serving, dataFolder, sharedFolder = dataFolder, node, workers } = this.options;
		return {
			dataFolder,
			sharedFolder,
			node,
			serving,
			...(proxy !== undefined && { outgoingProxy: proxy }),
			address: () => this.servedAt ?? (serving ? undefined : addressOf(host, port, tls !== undefined)),
			plugins: rows,
			...(workers && { workers }),
			mustEnd: this.mustEnd.signal,
			load: () =>
				hostLoad(this.all(), {
					version: this.options.version,
					reloaded: this.reloaded,
					database: this.troubles.list().every(({ what }) => what !== "database" && what !== "disk"),
				}),
			keep: this.kept.keep,
			greetWith: (first) => {
				this.firstToken = first;
			},
			greetWithSignIn: (link) => {
				this.firstSignIn = link;
			},
		};
	}
}
