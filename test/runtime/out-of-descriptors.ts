import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openSystem } from "../../src/main.ts";
import { configSchema } from "../../src/model/settings/config.ts";
import { flowSchema } from "../../src/model/flow/flow.ts";
import { runSettingsSchema } from "../../src/model/settings/settings.ts";
import { statusView } from "../../src/views/status/status.ts";

/*
 * A child of a test, started under a low `ulimit -n`: it supervises a run of a scripted agent, takes every descriptor
 * that it may have just before the agent is started, and lets go of them a while later. What became of the run is
 * printed.
 */

const HELD_MS = 1_000;

const root = mkdtempSync(path.join(tmpdir(), "holdfast-descriptors-"));
mkdirSync(path.join(root, "work"));
const system = await openSystem({
  store: `sqlite:${path.join(root, "holdfast.db")}`,
  settings: configSchema.parse({}),
});

function takeAll(): number[] {
  const taken: number[] = [];
  for (;;)
    try {
      taken.push(openSync("/dev/null", "r"));
    } catch {
      return taken;
    }
}

const held = await system.createRun({
  goal: "say hello",
  flow: flowSchema.parse({ name: "goal", steps: [{ name: "work", task: "say hello", agent: "demo" }] }),
  agents: { demo: { use: "demo" } },
  settings: runSettingsSchema.parse({ backoff: { baseMs: 50, capMs: 100 } }),
  budget: {},
  cwd: path.join(root, "work"),
  by: "test",
});
const supervisor = system.supervisor({ only: held.run, held });
const working = supervisor.work();
const taken = takeAll();
let seen: unknown = null;
const look = async (): Promise<void> => {
  await delay(HELD_MS - 300);
  const state = supervisor.stateOf(held.run);
  if (state !== undefined) seen = statusView(state, null, system.ports.world.now()).health;
};
await Promise.all([look(), delay(HELD_MS)]);
for (const fd of taken) closeSync(fd);
const end = await Promise.race([working.then(() => "worked"), delay(20_000, "late", { ref: false })]).catch(
  String,
);
const events = await system.ports.journal.read(held.run, { after: 0, limit: 1_000 });
const status = (await system.loadRun(held.run))?.status;
const reported = events.map(({ type, data }) => ({ type, data }));
process.stdout.write(JSON.stringify({ taken: taken.length, end, status, seen, told: reported }));
await system.close();
rmSync(root, { recursive: true, force: true });
