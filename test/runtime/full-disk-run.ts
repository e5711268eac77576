import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync, openSync, writeSync, closeSync } from "node:fs";
import path from "node:path";
import { argv } from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { fullDisks, openSystem } from "../../src/main.ts";
import { configSchema } from "../../src/model/settings/config.ts";
import { flowSchema } from "../../src/model/flow/flow.ts";
import { runSettingsSchema } from "../../src/model/settings/settings.ts";
import { withFullDisks } from "../../src/views/status/full-disk-status.ts";
import { statusView } from "../../src/views/status/status.ts";

/*
 * A child of a test, in a mount namespace of its own: `full-disk-run.ts FOLDER`. Store, spools and workspace stand on a
 * small disk that fills up to its last byte while an agent works, and is freed a while later. Prints what became of it.
 */

const [, , folder = ""] = argv;
const FULL_MS = 1_200;
execFileSync("mount", ["-t", "tmpfs", "-o", "size=6m", "tmpfs", folder], { stdio: "pipe" });
const cwd = path.join(folder, "work");
mkdirSync(cwd);
const script = path.join(folder, "script.json");
const acts = [
  { do: "say", text: "one" },
  { do: "sleep", ms: 900 },
  { do: "say", text: "two ".repeat(5_000) },
  { do: "claim", ok: true, text: "done" },
];
writeFileSync(script, JSON.stringify({ attempts: [acts] }));

const system = await openSystem({
  store: `sqlite:${path.join(folder, "holdfast.db")}`,
  settings: configSchema.parse({ lease: { ms: 1_500 } }),
});
const held = await system.createRun({
  goal: "write something",
  flow: flowSchema.parse({ name: "goal", steps: [{ name: "work", task: "write", agent: "demo" }] }),
  agents: { demo: { use: "demo", script } },
  settings: runSettingsSchema.parse({ backoff: { baseMs: 50, capMs: 100 } }),
  budget: {},
  cwd,
  by: "test",
});

/** To the last byte. */
function fill(file: string): void {
  const fd = openSync(file, "w");
  for (let size = 65_536; size >= 1; size = size > 1 ? size / 16 : 0)
    try {
      for (;;) if (writeSync(fd, Buffer.alloc(size)) < size) break;
    } catch {
      continue;
    }
  closeSync(fd);
}

const news: string[] = [];
const supervisor = system.supervisor({
  only: held.run,
  held,
  onStoreFull: () => news.push("full"),
  onStoreRoom: () => news.push("room"),
});
const working = supervisor.work();
const lastSignalAt = async () => (await system.loadRun(held.run))?.attempts["work#1"]?.lastSignalAt ?? null;
while ((await lastSignalAt()) === null) await delay(20);
const ballast = path.join(folder, "ballast");
fill(ballast);
await delay(FULL_MS);
const full = fullDisks([folder]);
const state = await system.loadRun(held.run);
const seen = state === null ? null : withFullDisks(statusView(state, null), full, null);
const alive = supervisor.stateOf(held.run) !== undefined;
rmSync(ballast);
const end = await Promise.race([working.then(() => "worked"), delay(20_000, "late", { ref: false })]).catch(
  String,
);
const events = await system.ports.journal.read(held.run, { after: 0, limit: 1_000 });
const after = await system.loadRun(held.run);
process.stdout.write(
  JSON.stringify({
    news,
    alive,
    end,
    status: after?.status,
    charged: after?.steps["work"]?.charged,
    damages: await system.ports.journal.verify(),
    health: seen?.health,
    hostFaults: seen?.hostFaults,
    ended: events.flatMap(({ type, data }) => (type === "AttemptEnded" ? [data] : [])),
    types: events.map(({ type }) => type),
  }),
);
await system.close();
