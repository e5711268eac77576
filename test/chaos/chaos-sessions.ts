/**
 * Starts and kills sessions of the zoo's misbehaving agents, under keepers and in terminals, and counts what is left.
 *
 * Usage: npm run chaos:sessions -- [--times 500] [--seed N] [--at-once 4] [--recycled 20]
 * Ends with exit 1 if a descendant survived the end of its session by 5 s, if descriptors or tmux sessions are left, or
 * if a process with a recycled pid was signalled. Bounded by --times and by a limit on every cycle.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseWords } from "../../sim/people/parse-words.ts";
import { seededChance } from "../../sim/world/seeded-chance.ts";
import { tmuxClient } from "../../src/agents/tmux/tmux-client.ts";
import { realWorld } from "../../src/real-world.ts";
import { recyclePids } from "./kill/recycle-pids.ts";
import { cycle, openBenches } from "./session-cycle.ts";

const { values } = parseWords({
  options: {
    times: { type: "string", default: "500" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    "at-once": { type: "string", default: "4" },
    recycled: { type: "string", default: "20" },
  },
});
const times = Number(values.times);
const chance = seededChance(Number(values.seed));
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-sessions-")));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
if (!hasTmux) console.log("SKIPPED terminals: tmux is not installed");

const descriptors = (): number => readdirSync("/proc/self/fd").length;
const tmuxSessions = async (): Promise<number> => {
  const answer = await tmuxClient(folder).run(["list-sessions"]);
  return answer.kind === "done" ? answer.out.trimEnd().split("\n").length : 0;
};

console.log(`chaos:sessions seed ${values.seed}, ${String(times)} cycles, ${values["at-once"]} at once`);
const benches = openBenches(realWorld(), folder, hasTmux);
const bad: string[] = [];
const play = async (index: number): Promise<void> => {
  for (const found of await cycle(benches, index, chance)) {
    bad.push(found);
    console.error(`violation: ${found}`);
  }
};
// What is opened with the first session of each kind stays open, and is no leak.
const beyond = Math.ceil(times / 40) * 40;
await play(beyond);
await play(beyond + 20);
const before = { descriptors: descriptors(), tmux: hasTmux ? await tmuxSessions() : 0 };
let next = 0;
await Promise.all(
  Array.from({ length: Number(values["at-once"]) }, async () => {
    while (next < times) {
      const index = next++;
      await play(index);
      if ((index + 1) % 50 === 0) console.log(`${String(index + 1)} cycles begun`);
    }
  }),
);
await benches.terminal?.close();

/** Children that this process let go of are its own until it knows of their end. */
async function backTo(what: string, wanted: number, now: () => number | Promise<number>): Promise<void> {
  for (const until = Date.now() + 10_000; (await now()) > wanted; await delay(50))
    if (Date.now() > until)
      return void bad.push(`${what}: ${String(wanted)} before, ${String(await now())} after`);
}
await backTo("descriptors", before.descriptors, descriptors);
if (hasTmux) await backTo("tmux sessions", before.tmux, tmuxSessions);

function recycle(): string {
  const wanted = Number(values.recycled);
  if (wanted === 0) return "no pid recycled";
  const recycled = recyclePids(wanted);
  if (recycled.kind === "impossible") return `SKIPPED recycled pids: ${recycled.why}`;
  if (recycled.kind === "violated") bad.push(`recycled pids: ${recycled.text}`);
  return recycled.text;
}
console.log(recycle());
console.log(
  `${String(times)} cycles: ${String(bad.length)} violations; ${String(descriptors())} descriptors (${String(before.descriptors)} before), ${String(hasTmux ? await tmuxSessions() : 0)} tmux sessions`,
);
for (const found of bad) console.log(`violation: ${found}`);
process.exitCode = bad.length === 0 ? 0 : 1;
