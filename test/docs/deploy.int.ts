import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { load, loadAll } from "js-yaml";

const FOLDER = path.join(import.meta.dirname, "..", "..", "deploy");
const file = (name: string): string => path.join(FOLDER, name);
const read = (name: string): string => readFileSync(file(name), "utf8");
const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

type Tree = { readonly [key: string]: Tree } & { readonly length?: number };

/** What stands at a path such as `spec.containers.0.name`. */
function at(document: unknown, where: string): unknown {
  return where.split(".").reduce<unknown>((value, key) => (value as Tree | undefined)?.[key], document);
}

test(
  "L8 systemd finds no fault with the unit; agents outlive it, and its end is awaited",
  { skip: hasSystemd ? false : "systemd-analyze is not there" },
  () => {
    const told = execFileSync("systemd-analyze", ["verify", file("systemd/holdfast.service")], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    assert.equal(told, "");
    const lines = new Set(read("systemd/holdfast.service").split("\n"));
    for (const line of ["Type=notify", "KillMode=process", "Restart=on-failure", "TimeoutStopSec=120"])
      assert.ok(lines.has(line), line);
    assert.ok(lines.has("Environment=HOLDFAST_HOME=/var/lib/holdfast"));
    assert.ok(![...lines].some((line) => line.startsWith("Environment=HOLDFAST_STORE")), "it has a password");
  },
);

test("F1 in the compose file a host has a state folder and a name of its own, and waits for the database", () => {
  const document = load(read("compose.yaml"));
  const host = at(document, "services.holdfast");
  assert.deepEqual(at(host, "command"), ["holdfast", "up"]);
  assert.equal(at(host, "hostname"), "host-1");
  assert.equal(at(host, "environment.HOLDFAST_HOME"), "/state");
  assert.deepEqual(at(host, "volumes"), ["state-1:/state", "work-1:/work"]);
  assert.equal(at(host, "depends_on.database.condition"), "service_healthy");
  assert.equal(at(host, "stop_grace_period"), "2m");
  const volumes = at(document, "volumes") as object;
  assert.deepEqual(Object.keys(volumes), ["database", "state-1", "work-1"]);
  assert.equal(at(document, "services.database.environment.POSTGRES_PASSWORD"), undefined);
  assert.equal(at(document, "secrets.database_password.file"), "./database-password");
});

test("F1 in the Kubernetes manifest each pod has a volume of its own, drains before it ends, and is not ended for being silent", () => {
  const [service, set] = loadAll(read("kubernetes/holdfast.yaml"));
  assert.equal(at(service, "spec.clusterIP"), "None");
  assert.equal(at(set, "kind"), "StatefulSet");
  assert.equal(at(set, "spec.serviceName"), at(service, "metadata.name"));
  assert.deepEqual(at(set, "spec.selector.matchLabels"), at(set, "spec.template.metadata.labels"));
  const pod = at(set, "spec.template.spec");
  const host = at(pod, "containers.0");
  assert.equal(at(set, "spec.volumeClaimTemplates.0.metadata.name"), at(host, "volumeMounts.0.name"));
  assert.equal(at(host, "volumeMounts.0.mountPath"), at(host, "env.0.value"));
  assert.deepEqual(at(host, "env.1.valueFrom.secretKeyRef"), { name: "holdfast", key: "store" });
  const drain = at(host, "lifecycle.preStop.exec.command");
  assert.deepEqual(drain, ["holdfast", "drain", "--wait", "--timeout", "1h"]);
  assert.ok(Number(at(pod, "terminationGracePeriodSeconds")) >= 3_600 + 60, "longer than the drain");
  assert.equal(at(host, "livenessProbe"), undefined);
  for (const probe of ["startupProbe", "readinessProbe"])
    assert.deepEqual(at(host, `${probe}.exec.command`), ["holdfast", "hosts", "--json"], probe);
});
