import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openSystem, type System } from "../../../src/main.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import type { Recorded } from "../../../src/model/events/events.ts";
import { flowSchema, type AgentSpec, type Flow } from "../../../src/model/flow/flow.ts";
import { isEnded } from "../../../src/model/state/run-status.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { builtProgram } from "../../built-program.ts";
import { folderFor, type BadKind } from "./bad-kinds.ts";
import { goodFlow, goodScript, storyOf } from "./good-run.ts";

const PROGRAM = builtProgram(path.join(import.meta.dirname, "../../cli/run-cli.ts"));
const COMPILE_CACHE = path.join(tmpdir(), "holdfast-compile-cache");
/** Times are read from the journals, so looking rarely costs no precision; the looks themselves are a load. */
const LOOK_MS = 500;
const SAID_CHARS_MAX = 20_000;

/** Bad runs are given up soon, so that each of them shows everything it has. */
const BAD_SETTINGS = {
  attempts: { perStep: 2, limitMs: 20_000 },
  backoff: { baseMs: 200, capMs: 1_000 },
  startup: { firstOutputMs: 8_000, termGraceMs: 2_000 },
  crashes: { windowMs: 10_000, pauseMs: 2_000 },
};
const CONFIG = { limits: { runsAtOnce: 500 }, supervisor: { scanMs: 200 }, watchdog: { sibling: false } };

export interface GoodEnd {
  readonly run: string;
  readonly status: string;
  readonly tookMs: number;
  readonly story: readonly string[];
  /** The longest time in which nothing was recorded, and what came before and after it. */
  readonly longest: string;
}

interface RunWish {
  readonly id: string;
  readonly cwd: string;
  readonly flow: Flow;
  readonly agents: Record<string, AgentSpec>;
  readonly settings: object;
  readonly source?: { readonly agents: string[]; readonly flow: string };
}

/**
 * One supervisor on a store of its own, and the runs that live on it. It is a process of its own, so that a run could
 * end it; and nobody brings it back, so that this is seen.
 */
export class Neighbourhood {
  readonly #root: string;
  readonly #home: string;
  readonly #system: System;
  readonly #supervisor: ChildProcess;
  #said = "";

  static async open(): Promise<Neighbourhood> {
    const root = mkdtempSync(path.join(tmpdir(), "holdfast-neighbours-"));
    const home = path.join(root, "home");
    mkdirSync(home);
    writeFileSync(path.join(home, "holdfast.json"), JSON.stringify(CONFIG));
    const store = `sqlite:${path.join(home, "holdfast.db")}`;
    return new Neighbourhood(root, await openSystem({ store, settings: configSchema.parse(CONFIG) }));
  }

  private constructor(root: string, system: System) {
    this.#root = root;
    this.#home = path.join(root, "home");
    this.#system = system;
    this.#supervisor = this.#cli("up");
    const take = (chunk: Buffer): void => {
      this.#said = (this.#said + chunk.toString()).slice(-SAID_CHARS_MAX);
    };
    this.#supervisor.stdout?.on("data", take);
    this.#supervisor.stderr?.on("data", take);
  }

  /** What the supervisor printed last. */
  get said(): string {
    return this.#said;
  }

  get isSupervised(): boolean {
    return this.#supervisor.exitCode === null && this.#supervisor.signalCode === null;
  }

  #cli(...words: string[]): ChildProcess {
    const kept = Object.entries(process.env).filter(([name]) => !/^(HOLDFAST_|NODE_TEST)/.test(name));
    const env = { ...Object.fromEntries(kept), NODE_COMPILE_CACHE: COMPILE_CACHE, HOLDFAST_HOME: this.#home };
    const stdio = ["ignore", "pipe", "pipe"] as const;
    return spawn(process.execPath, [PROGRAM, ...words], { cwd: this.#root, env, stdio: [...stdio] });
  }

  async addGood(id: string, thinkMs: number): Promise<void> {
    const cwd = folderFor(this.#root, id);
    const agents = { dev: { use: "demo", script: goodScript(cwd, thinkMs) } } as const;
    await this.#create({ id, cwd, flow: goodFlow(), agents, settings: {} });
  }

  async addBad(id: string, kind: BadKind): Promise<void> {
    const cwd = folderFor(this.#root, id);
    const { agent, flowFile, keepsFiles, mail = [] } = kind.make(cwd);
    const flow = flowSchema.parse({ name: "goal", steps: [{ name: "work", task: "work", agent: "bad" }] });
    const settings = { ...BAD_SETTINGS, ...(keepsFiles === true ? { checkpoints: { when: "always" } } : {}) };
    const source = flowFile === undefined ? {} : { source: { agents: [], flow: flowFile } };
    await this.#create({ id, cwd, flow, agents: { bad: agent }, settings, ...source });
    for (const [nth, text] of mail.entries())
      await this.#system.ports.journal.ask({
        id: `${id}-mail-${String(nth)}`,
        address: id,
        request: text as never,
        by: "somebody",
        at: 1,
      });
  }

  async #create({ settings, ...wish }: RunWish): Promise<void> {
    const { run, epoch } = await this.#system.createRun({
      ...wish,
      goal: wish.id,
      settings: runSettingsSchema.parse(settings),
      budget: {},
      by: "test",
    });
    await this.#system.leases.release(run, epoch);
  }

  /** Waits until an agent of each run was started, at most so long; answers how many have begun. */
  async untilBegun(runs: readonly string[], limitMs: number): Promise<number> {
    const waiting = new Set(runs);
    for (const until = Date.now() + limitMs; waiting.size > 0 && Date.now() < until; await delay(LOOK_MS))
      for (const run of waiting) {
        const events = await this.#system.ports.journal.read(run, { after: 0, limit: 50 });
        if (events.some(({ type }) => type === "AttemptStarted")) waiting.delete(run);
      }
    return runs.length - waiting.size;
  }

  /** Waits until the runs have ended, at most so long; how each of them ended. */
  async untilEnded(runs: readonly string[], limitMs: number): Promise<GoodEnd[]> {
    const open = new Set(runs);
    for (const until = Date.now() + limitMs; open.size > 0 && Date.now() < until; await delay(LOOK_MS))
      for (const { run, status } of await this.#system.ports.journal.runs())
        if (isEnded(status)) open.delete(run);
    return Promise.all(runs.map((run) => this.#endOf(run)));
  }

  async #endOf(run: string): Promise<GoodEnd> {
    const events = await this.#system.ports.journal.read(run, { after: 0, limit: 100_000 });
    const [first] = events;
    const state = await this.#system.loadRun(run);
    const tookMs = (events.at(-1)?.at ?? 0) - (first?.at ?? 0);
    const status = state?.status ?? "unknown";
    return { run, status, tookMs, story: storyOf(run, events), longest: longestGap(events) };
  }

  /** How many runs have which status. */
  async statuses(prefix: string): Promise<Record<string, number>> {
    const found: Record<string, number> = {};
    for (const { run, status } of await this.#system.ports.journal.runs())
      if (run.startsWith(prefix)) found[status] = (found[status] ?? 0) + 1;
    return found;
  }

  /** Ends the supervisor and every session; answers what is left alive of them. */
  async close(): Promise<string[]> {
    const ending = this.#cli("down", "--stop-agents", "--json");
    ending.stdout?.resume();
    ending.stderr?.resume();
    await Promise.race([
      new Promise((ended) => ending.once("close", ended)),
      delay(CLOSE_MS_MAX, null, { ref: false }),
    ]);
    if (this.isSupervised) this.#supervisor.kill("SIGKILL");
    const found = this.#system.sessions.live();
    const left = found.map(({ session }) => session);
    for (const session of left) await this.#system.sessions.end(session, 0);
    await this.#system.close();
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 5 });
    return left;
  }
}

const CLOSE_MS_MAX = 120_000;

function longestGap(events: readonly Recorded[]): string {
  let [longest, text] = [-1, "nothing is recorded"];
  for (const [nth, event] of events.entries()) {
    const before = events[nth - 1];
    if (before === undefined || event.at - before.at <= longest) continue;
    longest = event.at - before.at;
    const said = JSON.stringify(before.data).slice(0, 300);
    text = `${String(longest)} ms between ${before.type} ${said} and ${event.type}`;
  }
  return text;
}
