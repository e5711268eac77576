import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { FunctionAgent } from "../../src/agents/function/function-agent.ts";
import { openSystem, type System } from "../../src/main.ts";
import { configSchema, type Config } from "../../src/model/settings/config.ts";
import type { Effect } from "../../src/model/effects/effects.ts";
import type { EffectOutcome } from "../../src/model/effects/effect-outcome.ts";
import type { Signal } from "../../src/model/agent/signals.ts";
import { EffectRunner } from "../../src/runtime/effect-runner.ts";
import { SharedResources } from "../../src/runtime/shared-resources.ts";
import { Life, PLACE, type Wish } from "./life.ts";

/** Agents that are functions of this process, by name. */
const FUNCTIONS: Readonly<Record<string, FunctionAgent>> = {
  /** Has something to say when it is asked to end. */
  lingering: async (context) => {
    const { signal } = context;
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => {
        resolve();
      });
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await context.emit({ kind: "message", from: "agent", text: "goodbye" });
  },
  /** Costs a dollar, and then answers. */
  costly: async (context) => {
    await context.emit({ kind: "usage", usd: 1 });
    return { verdict: "continue", why: "it works" };
  },
  approving: async (context) => {
    await context.emit({ kind: "usage", usd: 1 });
    return { verdict: "pass", findings: [] };
  },
  slow: async ({ signal }) => {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 300);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    });
    return { verdict: "pass", findings: [] };
  },
};

let system: Promise<System> | null = null;

/** Everything put together as the command line does it, on a store of its own. */
export const realSystem = (): Promise<System> =>
  (system ??= openSystem({
    store: `sqlite:${path.join(PLACE, "store.sqlite")}`,
    settings: configSchema.parse({}),
    functions: new Map(Object.entries(FUNCTIONS)),
  }));

const closing: (() => Promise<void>)[] = [];
/** For what was opened for all proofs. */
export const atEnd = (close: () => Promise<void>): void => void closing.push(close);

export async function closeAll(): Promise<void> {
  await (await system)?.close();
  for (const close of closing) await close();
}

let folders = 0;
export function freshFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = path.join(PLACE, `f${String((folders += 1))}`);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

export const git = (cwd: string, ...words: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...words], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();

/** A repository with one commit, on main. */
export function freshRepository(): string {
  const template = path.join(PLACE, "template");
  if (!existsSync(template)) {
    mkdirSync(template);
    git(template, "init", "-q", "-b", "main");
    writeFileSync(path.join(template, "file.txt"), "one\n");
    git(template, "add", ".");
    git(template, "commit", "-qm", "one");
  }
  const folder = freshFolder();
  cpSync(template, folder, { recursive: true });
  return folder;
}

export const textOf = (...parts: readonly string[]): string => {
  const file = path.join(...parts);
  return existsSync(file) ? readFileSync(file, "utf8").trim() : "nothing";
};

let runs = 0;

/** A life in which the world is asked to do effects of these kinds; all others are done by wishing. */
export function livedWith(config: Config, kinds: readonly Effect["kind"][], wish: Wish = {}): Life {
  const answers = Object.fromEntries(kinds.map((kind) => [kind, () => null]));
  return new Life(config, {
    run: `run_r${String((runs += 1))}`,
    ...wish,
    answers: { ...answers, ...wish.answers },
  });
}

/** Has the real ports do what the run wants of them, until it wants nothing more. */
export async function perform(life: Life): Promise<EffectOutcome[]> {
  const { ports, leases } = await realSystem();
  const outcomes: EffectOutcome[] = [];
  for (let bound = 0; bound < 40; bound += 1) {
    const [open] = Object.entries(life.state.effects);
    if (open === undefined) break;
    const [key, effect] = open;
    const outcome = await new Promise<EffectOutcome>((resolve) => {
      const resources = new SharedResources(ports, leases, 1_000);
      const runner = new EffectRunner(ports, resources, {
        settled: (_, found) => resolve(found),
        delayed: () => undefined,
      });
      runner.reconcile(life.state.run, { [key]: effect }, { source: null, trees: [] });
    });
    outcomes.push(outcome);
    life.turn([{ type: "EffectSettled", data: { key, outcome } }]);
  }
  return outcomes;
}

/** Everything that the agent which was started says until it exits. */
export async function receivedOf(life: Life): Promise<Signal[]> {
  const { ports } = await realSystem();
  const [effect] = life.effects("StartAgent");
  const driver = effect === undefined ? undefined : ports.drivers.get(effect.spec.use);
  if (effect === undefined || driver === undefined) throw new Error("no agent was started");
  const signals: Signal[] = [];
  await new Promise<void>((resolve) => {
    driver.listen(effect, "", (batch) => {
      signals.push(...batch.signals);
      if (batch.signals.some(({ kind }) => kind === "exit")) resolve();
      return Promise.resolve();
    });
  });
  return signals;
}
