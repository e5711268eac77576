import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ModelScriptInput } from "../../../src/model/agent/model-script.ts";
import type { NamedPerformer } from "../real/performers.ts";
import { HELLO } from "../real/scripts.ts";
import { Show, story } from "../real/show.ts";
import { ranIn, type CellContext, type Played } from "./played.ts";

/** However slow the machine is. */
const LIMIT_MS = 300_000;

/** What a real agent does and says last, and whether its step may count as done (B4). */
export interface Scene {
  readonly name: string;
  readonly script: ModelScriptInput;
  readonly checks?: readonly string[];
  readonly success: boolean;
}

const says = (say: string): ModelScriptInput => ({ turns: [{ say, repeat: "forever" }] });
const GREEN = ["--check", "true"];
const WRITTEN = ["--check", "grep -q scripted hello.txt"];

export const SCENES: readonly Scene[] = [
  {
    name: "an error in prose",
    script: says("Ran into this error: connection refused by the server."),
    success: false,
  },
  {
    name: "an error in prose and a green check",
    script: says("Error: the tool could not be started."),
    checks: GREEN,
    success: false,
  },
  {
    name: "a limit in prose",
    script: says("Ran into this error: Rate limit exceeded. Please try again later."),
    success: false,
  },
  { name: "an empty answer", script: says(""), success: false },
  { name: "a refusal", script: says("I'm sorry, but I can't help with that request."), success: false },
  { name: "nothing done and a green check", script: says("Done."), checks: GREEN, success: false },
  {
    name: "nothing to do and a green check",
    script: says("There is nothing to do: everything is in place already."),
    checks: GREEN,
    success: true,
  },
  { name: "real work without a check", script: HELLO, success: true },
  { name: "real work with a check that was red", script: HELLO, checks: WRITTEN, success: true },
];

const SETTINGS = {
  attempts: { perStep: 1 },
  startup: { termGraceMs: 1_000, firstOutputMs: 120_000 },
  // Some take most of a minute to begin on a busy machine.
  health: { tickMs: 1_000, silenceMs: 120_000, turnDegradedMs: 100_000, turnStuckMs: 150_000 },
  ladder: { nudges: 0, strategyMs: 500, restarts: 0, restartMs: 500 },
  checks: { tries: 1 },
  stale: { pause: false },
};

export async function playScene(
  t: CellContext,
  { performer }: NamedPerformer,
  scene: Scene,
): Promise<Played> {
  const show = await Show.open(t, { ...performer, settings: SETTINGS }, scene.script);
  writeFileSync(path.join(show.stage.repo, "README.md"), "a project\n");
  const git = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
  spawnSync("git", ["add", "-A"], { cwd: show.stage.repo });
  spawnSync("git", [...git, "commit", "-qm", "begin"], { cwd: show.stage.repo });
  await show.begin("Write hello.txt", ...(scene.checks ?? []));
  const status = await settled(show);
  const events = await show.events();
  await show.bench.call(["cancel", show.run], { cwd: show.stage.repo });
  assert.equal(status === "completed", scene.success, `${status}\n${story(events)}`);
  return { did: status, sandbox: ranIn(events) };
}

/** Until the run is over, needs somebody, or waits for a limit to end: then it has not counted its step as done. */
async function settled(show: Show): Promise<string> {
  const over = ["completed", "failed", "blocked", "paused", "awaiting_approval"];
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await delay(500)) {
    const { stdout } = await show.bench.call(["status", show.run, "--json"], { cwd: show.stage.repo });
    const { status, health } = JSON.parse(stdout) as { status: string; health: { waitsFor?: string } };
    if (over.includes(status)) return status;
    if (health.waitsFor === "limit" || health.waitsFor === "person") return `waits for a ${health.waitsFor}`;
  }
  assert.fail(`no end in time\n${story(await show.events())}`);
}
