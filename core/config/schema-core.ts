/** The settings of the core itself: everything in the config file but what a plugin's `with` holds. */
import { type Static, Type as t } from "@sinclair/typebox";

const closed = { additionalProperties: false } as const;

const networks = (fallback: readonly string[], description: string) =>
	t.Array(t.String({ format: "network" }), { default: fallback, description });

const seconds = (fallback: number, minimum: number, description: string) =>
	t.Number({ minimum, default: fallback, description: `${description}, in seconds.` });

const server = {
	host: t.String({
		minLength: 1,
		default: "127.0.0.1",
		description: "The address to listen on. PORTICO_HOST overrides it.",
	}),
	port: t.Integer({
		minimum: 0,
		maximum: 65535,
		default: 8787,
		description: "The port to listen on; 0 picks a free one. PORTICO_PORT and --port override it.",
	}),
	hosts: t.Array(t.String({ minLength: 1 }), {
		default: [],
		description:
			"Names under which the admin routes answer, without a port, besides localhost and this machine's addresses.",
	}),
	trustedProxies: networks([], "Addresses and networks whose X-Forwarded-For and X-Forwarded-Proto are believed."),
	bodyLimitBytes: t.Integer({
		minimum: 1024,
		default: 64 * 1024 * 1024,
		description: "The largest request body that is read, in bytes; no more than half of memoryBytes.",
	}),
	bodySeconds: seconds(
		60,
		1,
		"How long the body of a model call may take to arrive; a large one longer, as long as it brings 16 KB a second and rests for no more than 10",
	),
	memoryBytes: t.Optional(
		t.Integer({
			minimum: 64 * 1024,
			description:
				"What the bodies and answers of all calls may hold at once, in bytes; half of it one token, or all tokens of one person, at most. Default: a quarter of the memory there is, that of its container where it runs in one; of several workers each its part of that.",
		}),
	),
	answerLimitBytes: t.Integer({
		minimum: 1024,
		default: 64 * 1024 * 1024,
		description:
			"The largest event of a stream, and the largest answer in one piece, that is taken from an upstream, in bytes.",
	}),
	maxCalls: t.Integer({
		minimum: 1,
		default: 10_000,
		description: "Model calls that run at the same time; as many more may wait.",
	}),
	maxCallsPerToken: t.Integer({
		minimum: 1,
		default: 2_000,
		description:
			"Model calls of one token, or of all tokens of one person, that run or wait at the same time; a token's rateLimit may say less.",
	}),
	queueSeconds: seconds(5, 0, "How long a call waits while maxCalls are running"),
	idleSeconds: seconds(300, 1, "How long an upstream may be silent before the call ends"),
	callSeconds: seconds(3600, 1, "How long a call may last"),
	keepAliveSeconds: seconds(
		15,
		1,
		"How long a stream that its upstream has begun may be silent before a sign of life is sent to the client",
	),
	tls: t.Optional(
		t.Object(
			{
				cert: t.String({ minLength: 1, description: "The file of the certificate and what it rests on, in PEM." }),
				key: t.String({ minLength: 1, description: "The file of its key, in PEM." }),
			},
			{
				...closed,
				description:
					"HTTPS instead of HTTP. Paths are relative as the database file is; the files are read anew when they change.",
			},
		),
	),
	shutdownDelaySeconds: seconds(
		0,
		0,
		"How long /readyz says 503 after a stop was asked for while calls are still answered, so that balancers send them elsewhere",
	),
	drainSeconds: seconds(30, 0, "How long streams, and submissions of tasks, may go on after a stop was asked for"),
	dataFolder: t.Optional(
		t.String({
			minLength: 1,
			description:
				'Where files of this node alone go, relative as the database file is; default: beside it, otherwise "data".',
		}),
	),
	logLevel: t.Union([t.Literal("debug"), t.Literal("info"), t.Literal("warn"), t.Literal("error")], {
		default: "info",
		description: "The least that is logged.",
	}),
	httpProxy: t.Optional(
		t.String({
			pattern: "^https?://.",
			secret: true,
			description:
				"The proxy for requests to upstreams; none without it, HTTP_PROXY of the environment is not obeyed. Hosts that NO_PROXY of the environment names are reached without it.",
		}),
	),
	cors: t.Object(
		{
			origins: t.Array(t.String({ minLength: 1 }), {
				default: ["*"],
				description: "Origins of web pages that may call; * is any, an empty list none.",
			}),
		},
		{ ...closed, default: {}, description: "Calls from web pages." },
	),
};

const admin = { allow: networks(["127.0.0.0/8", "::1/128"], "Addresses and networks that may reach /admin.") };

const database = {
	url: t.String({
		format: "database",
		default: "file:data/portico.db",
		description:
			"A file, relative to the folder of this file (of one in config/: the folder that holds it), or a libSQL server: http(s)://… or libsql://….",
	}),
	authToken: t.Optional(t.String({ minLength: 1, secret: true, description: "The token of a libSQL server." })),
	backup: t.Object(
		{
			folder: t.Optional(
				t.String({
					minLength: 1,
					description:
						"Where backups go, relative as the database file is; default: backups/ in the data folder, the only one that is made.",
				}),
			),
			keep: t.Integer({
				minimum: 1,
				default: 7,
				description: "How many backups stay in the folder; older ones are removed.",
			}),
			schedule: t.Optional(
				t.String({
					format: "schedule",
					description:
						'When a backup is made by itself, as cron has it: "0 3 * * *" is three at night. None without it.',
				}),
			),
		},
		{ ...closed, default: {}, description: "Backups of a database file; a database server makes its own." },
	),
};

const section = { ...closed, default: {} };

export const coreSchema = t.Object(
	{
		$schema: t.Optional(t.String({ description: "Where editors find the schema of this file." })),
		server: t.Object(server, { ...section, description: "Where and how Portico listens." }),
		admin: t.Object(admin, { ...section, description: "The admin API." }),
		database: t.Object(database, { ...section, description: "Where Portico keeps its state." }),
		plugins: t.Array(t.Unknown(), { default: [], description: "What Portico can do, in the order that slots keep." }),
	},
	closed,
);

export const entrySchema = t.Object(
	{
		use: t.String({
			minLength: 1,
			description: "A built-in plugin, a path relative to this file (./, ../ or /), or the name of a package.",
		}),
		as: t.Optional(t.String({ minLength: 1, description: "The name of this instance; the plugin's own by default." })),
		enabled: t.Boolean({ default: true, description: "false leaves the plugin out without loading it." }),
		with: t.Optional(t.Unknown({ description: "The settings of the plugin." })),
	},
	{ ...closed, description: "One plugin, such as { use: tokens }." },
);

type Core = Static<typeof coreSchema>;
export type ServerConfig = Core["server"];
export type AdminConfig = Core["admin"];
export type DatabaseConfig = Core["database"];
