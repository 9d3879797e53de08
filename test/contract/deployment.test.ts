/** The files for containers and services: well formed, not as root, and they drain. What runs them is not on every machine. */
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";

const root = join(import.meta.dir, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

test("the image runs as another user than root and says whether it is well", () => {
	const lines = read("Dockerfile").split("\n");
	const last = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));
	expect(last.find((line) => line.startsWith("USER "))).toBe("USER node");
	expect(last.some((line) => line.startsWith("HEALTHCHECK "))).toBe(true);
	expect(last).toContain("VOLUME /data");
});

test("services of compose.yaml that are ours write to volumes alone: nodes each to their own, and results to one", () => {
	const { services } = parse(read("compose.yaml"), { merge: true });
	for (const name of ["portico", "node1", "node2", "node3"])
		expect(services[name]).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
	const volumes = ["node1", "node2", "node3"].map((name) => services[name].volumes.at(-1));
	expect(new Set(volumes).size).toBe(3);
	for (const name of ["node1", "node2", "node3"]) expect(services[name].volumes).toContain("files:/files");
	expect(read("Dockerfile")).toContain("mkdir /data /files && chown node:node /data /files");
});

test("the manifests parse, ask for readiness, and leave a start half an hour for its migrations", () => {
	const documents = parseAllDocuments(read("config/kubernetes/portico.yaml"));
	expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
	const [service, , set] = documents.map((document) => document.toJS());
	expect(set.spec.template.metadata.labels).toMatchObject(service.spec.selector);
	// Of the Service `portico` every pod would be told as PORTICO_PORT, which is a setting of ours.
	expect(set.spec.template.spec.enableServiceLinks).toBe(false);
	expect(set.spec.template.spec.containers[0]).toMatchObject({
		startupProbe: { httpGet: { path: "/livez" }, periodSeconds: 2, failureThreshold: 900 },
		readinessProbe: { httpGet: { path: "/acceptz" } },
		securityContext: { readOnlyRootFilesystem: true },
	});
	expect(parse(read("config/proxies/traefik.yaml"))).toHaveProperty(
		"http.services.portico.loadBalancer.healthCheck.path",
		"/acceptz",
	);
	expect(read("config/proxies/haproxy.cfg")).toMatch(/^\toption httpchk GET \/acceptz$/m);
});

const analyze = spawnSync("systemd-analyze", ["--version"]).status === 0;

test("the unit is strict, and tells the first process alone to stop", () => {
	const unit = read("config/portico.service");
	expect(unit).toMatch(/^ProtectSystem=strict$/m);
	expect(unit).toMatch(/^KillMode=mixed$/m);
});

test.skipIf(!analyze)("systemd accepts the unit", () => {
	const { status, stderr } = spawnSync("systemd-analyze", ["verify", join(root, "config/portico.service")], {
		encoding: "utf8",
	});
	expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
