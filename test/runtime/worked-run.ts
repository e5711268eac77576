import { tmpdir } from "node:os";
import { functionDriver } from "../../src/agents/function/function-driver.ts";
import type { FunctionAgent } from "../../src/agents/function/function-agent.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { memoryJournal } from "../../src/journal/memory/memory-journal.ts";
import type { EventData, Recorded } from "../../src/model/events/events.ts";
import type { Step } from "../../src/model/flow/flow.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { hostSettingsSchema, runSettingsSchema } from "../../src/model/settings/settings.ts";
import type { World } from "../../src/model/world.ts";
import type { Guard } from "../../src/workspace/guard.ts";
import type { Notifier } from "../../src/notify/notifier.ts";
import { shellQuality } from "../../src/quality/shell/shell-quality.ts";
import { realWorld } from "../../src/real-world.ts";
import { createRun } from "../../src/runtime/create-run.ts";
import { Leases } from "../../src/runtime/leases.ts";
import { loadKnownRun } from "../../src/runtime/load-run.ts";
import { Requests } from "../../src/runtime/requests.ts";
import type { Ports } from "../../src/runtime/ports.ts";
import { Supervisor } from "../../src/runtime/supervisor/supervisor.ts";
import type { SupervisorOptions } from "../../src/runtime/supervisor/supervisor-options.ts";

/** A step of a test flow: a name, who does it, and what it waits for. */
export const step = (name: string, agent: string, needs: string[] = [], more: Partial<Step> = {}): Step => ({
  name,
  task: `do ${name}`,
  agent,
  needs,
  authority: "writes",
  checks: [],
  ...more,
});

export interface Bench {
  readonly ports: Ports;
  readonly leases: Leases;
  readonly requests: Requests;
  create(steps: Step[], settings?: unknown, id?: string): Promise<{ run: string; epoch: number }>;
  supervisor(options?: SupervisorOptions): Supervisor;
  /** Creates a run and works it until it is at rest. */
  work(steps: Step[], settings?: unknown): Promise<RunState>;
  state(run: string): Promise<RunState>;
  events(run: string): Promise<Recorded[]>;
  close(): Promise<void>;
}

const nobodyToNotify: Notifier = {
  deliver: () => Promise.resolve({ kind: "failed", terminal: true, text: "there is nobody to tell" }),
};

const nothingKept: Ports["workspace"] = {
  snapshot: () => Promise.reject(new Error("no workspace is at hand")),
  look: () => Promise.reject(new Error("no workspace is at hand")),
  restore: () => Promise.reject(new Error("no workspace is at hand")),
  head: () => Promise.resolve({ kind: "none" }),
  mendWorktree: () => Promise.resolve(null),
  beginMerge: () => Promise.reject(new Error("no workspace is at hand")),
  compareCommits: () => Promise.reject(new Error("no workspace is at hand")),
  release: () => Promise.reject(new Error("no workspace is at hand")),
  compare: () => Promise.reject(new Error("no workspace is at hand")),
  countLines: () => Promise.reject(new Error("no workspace is at hand")),
  commit: () => Promise.reject(new Error("no workspace is at hand")),
  upload: () => Promise.reject(new Error("no workspace is at hand")),
  download: () => Promise.reject(new Error("no workspace is at hand")),
  takeIn: () => Promise.reject(new Error("no workspace is at hand")),
  placeFor: () => Promise.reject(new Error("no workspace is at hand")),
  carry: () => Promise.reject(new Error("no workspace is at hand")),
  createWorktree: () => Promise.reject(new Error("no workspace is at hand")),
  overlaps: () => Promise.reject(new Error("no workspace is at hand")),
  copyTree: () => Promise.reject(new Error("no workspace is at hand")),
  propose: () => Promise.reject(new Error("no workspace is at hand")),
  applyProposal: () => Promise.reject(new Error("no workspace is at hand")),
  dropCopy: () => Promise.reject(new Error("no workspace is at hand")),
  seal: () => Promise.resolve(),
  openSeal: () => Promise.resolve({ acts: [], count: 0 }),
  removeWorktree: () => Promise.reject(new Error("no workspace is at hand")),
};

const nothingProtected: Guard = {
  returnFiles: () => Promise.reject(new Error("no guard is at hand")),
  bringRepository: () => Promise.resolve(null),
  check: () => Promise.reject(new Error("no guard is at hand")),
  compare: () => Promise.resolve([]),
  pack: () => Promise.reject(new Error("no guard is at hand")),
  unpack: () => Promise.reject(new Error("no guard is at hand")),
  watch: () => () => undefined,
};

const nothingDelivered: Ports["artifacts"] = {
  collect: () => Promise.resolve({ artifacts: [], problems: [] }),
  hand: () => Promise.reject(new Error("nothing is handed on here")),
  keep: () => Promise.reject(new Error("nothing is kept here")),
  read: () => Promise.resolve(null),
};

/** The real runtime on a journal (memory by default) with function agents: one process's view of the store. */
export function bench(
  functions: Record<string, FunctionAgent>,
  options: {
    journal?: Journal;
    world?: World;
    host?: unknown;
    notifier?: Notifier;
    guard?: Guard;
    workspace?: Ports["workspace"];
    artifacts?: Ports["artifacts"];
  } = {},
): Bench {
  const world = options.world ?? realWorld();
  const journal = options.journal ?? memoryJournal({ world });
  const driver = functionDriver({ world, folder: tmpdir(), functions: new Map(Object.entries(functions)) });
  const settings = hostSettingsSchema.parse(options.host ?? {});
  const quality = shellQuality({ world, marked: () => Promise.resolve([]) });
  const notifier = options.notifier ?? nobodyToNotify;
  const drivers = new Map([["function" as const, driver]]);
  const guard = options.guard ?? nothingProtected;
  const workspace = options.workspace ?? nothingKept;
  const artifacts = options.artifacts ?? nothingDelivered;
  const ports: Ports = { world, journal, drivers, quality, notifier, guard, workspace, artifacts, settings };
  const leases = new Leases(journal, world, settings.lease.ms);
  const agents = Object.fromEntries(
    Object.keys(functions).map((name) => [name, { use: "function" as const, export: name }]),
  );
  const order = (steps: Step[], runSettings: unknown): EventData<"RunCreated"> => ({
    goal: "a test",
    flow: { name: "test", steps, phases: [] },
    agents,
    settings: runSettingsSchema.parse(runSettings ?? { backoff: { baseMs: 1 } }),
    budget: {},
    cwd: process.cwd(),
    by: "test",
  });
  const create = (steps: Step[], runSettings?: unknown, id?: string) =>
    createRun(ports, leases, { ...order(steps, runSettings), ...(id === undefined ? {} : { id }) });
  const supervisor = (supervisorOptions?: SupervisorOptions) =>
    new Supervisor(ports, supervisorOptions, leases);
  return {
    ports,
    leases,
    requests: new Requests(journal, world, leases),
    create,
    supervisor,
    async work(steps, runSettings) {
      const held = await create(steps, runSettings);
      await supervisor({ only: held.run, held }).work();
      return loadKnownRun(journal, held.run);
    },
    state: (run) => loadKnownRun(journal, run),
    events: (run) => journal.read(run, { after: 0, limit: 100_000 }),
    async close() {
      await driver.close();
      await journal.close();
    },
  };
}
