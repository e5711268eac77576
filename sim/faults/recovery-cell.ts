import { memoryDisk } from "../../src/journal/memory/memory-disk.ts";
import { memoryJournal } from "../../src/journal/memory/memory-journal.ts";
import type { Journal } from "../../src/journal/journal.ts";
import type { StartOrder } from "../../src/agents/agent-driver.ts";
import type { Recorded } from "../../src/model/events/events.ts";
import { Fault } from "../../src/model/fault.ts";
import type { Remedy } from "../../src/model/agent/ladder.ts";
import { isEnded } from "../../src/model/state/run-status.ts";
import { hostSettingsSchema, runSettingsSchema } from "../../src/model/settings/settings.ts";
import type { World } from "../../src/model/world.ts";
import type { Notifier } from "../../src/notify/notifier.ts";
import { createRun } from "../../src/runtime/create-run.ts";
import { Leases } from "../../src/runtime/leases.ts";
import type { Ports } from "../../src/runtime/ports.ts";
import { Supervisor } from "../../src/runtime/supervisor/supervisor.ts";
import { behaviourOf, type Trouble } from "./live-troubles.ts";
import { seededChance } from "../world/seeded-chance.ts";
import { SimArtifacts } from "../world/sim-artifacts.ts";
import { NO_FAULTS } from "./sim-faults.ts";
import { SimGuard } from "../world/sim-guard.ts";
import { SimProcess, type SimMachine } from "../world/sim-process.ts";
import { SimQuality } from "../world/sim-quality.ts";
import { SimTime } from "../world/sim-time.ts";
import { SimWorkspace } from "../world/sim-workspace.ts";
import { isAdviser, StuckAgents } from "../agents/stuck-agents.ts";

/** One trouble, and the one remedy that helps against it. */
export interface Cell {
  readonly trouble: Trouble;
  readonly cure: Remedy;
  /** The driver of the agents: one that accepts messages at work, or not. */
  readonly use?: "acp" | "claude";
  /** What an agent answers that is asked about the trouble; absent: nobody is asked. */
  readonly judge?: string;
  /** The supervisor dies at this durable boundary, counted from the first remedy on; absent: never. */
  readonly dieAt?: number;
}

export interface CellResult {
  readonly events: readonly Recorded[];
  /** Durable boundaries passed since the first remedy. */
  readonly boundaries: number;
  readonly deaths: number;
  readonly status: string;
  /** What was seen outside of the journal. */
  readonly told: readonly string[];
  readonly starts: readonly StartOrder[];
  /** Sessions of whoever was asked about the trouble, and whether each is over. */
  readonly advisers: readonly { readonly order: StartOrder; readonly isOver: boolean }[];
  readonly doubled: readonly string[];
  readonly restored: number;
  readonly notices: readonly string[];
}

const RUN = "run-0";
const HOST = hostSettingsSchema.parse({ supervisor: { scanMs: 5_000 } });
const SETTINGS = {
  attempts: { limitMs: 100 * 3_600_000 },
  ladder: { helper: "helper", nextAgent: "second" },
  checkpoints: { when: "always" },
  stale: { pause: false },
  notify: {
    channels: {
      mail: { use: "command", command: ["mail"] },
      pager: { use: "command", command: ["pager"] },
    },
    external: ["pager"],
  },
};

/** The real runtime on simulated time, with one run whose agent is stuck until the one remedy comes that helps. */
export async function liveCell(cell: Cell): Promise<CellResult> {
  const life = new CellLife(cell);
  await life.begin();
  await life.time.run(life.time.now + 80 * 3_600_000, () => life.isOver());
  return life.result();
}

class CellLife {
  readonly time = new SimTime();
  readonly #cell: Cell;
  readonly #machine: SimMachine;
  readonly #disk = memoryDisk();
  readonly #outside: SimProcess;
  readonly #journal: Journal;
  readonly #agents: StuckAgents;
  readonly #guard: SimGuard;
  readonly #workspace: SimWorkspace;
  readonly #notices: string[] = [];
  #inRecovery = false;
  #boundaries = 0;
  #deaths = 0;
  #asked = 0;

  constructor(cell: Cell) {
    this.#cell = cell;
    this.#machine = {
      time: this.time,
      chance: seededChance(1),
      faults: () => NO_FAULTS,
      processes: [],
      violations: [],
      callsPerMinuteMax: 100_000,
    };
    this.#outside = new SimProcess(this.#machine, "people");
    this.#journal = memoryJournal({ world: this.#outside.world, disk: this.#disk });
    this.#guard = new SimGuard(this.#machine);
    this.#workspace = new SimWorkspace(this.#machine, this.#guard);
    this.#agents = new StuckAgents(
      this.time,
      behaviourOf(cell.trouble),
      (what) => this.#cures(what),
      cell.judge,
    );
  }

  /** What the agents themselves notice of a remedy. */
  #cures({ order, text }: { readonly order: StartOrder; readonly text?: string }): boolean {
    switch (this.#cell.cure) {
      case "nudge":
        return /^It looks as if you are stuck/.test(text ?? order.task);
      case "strategy":
        return /^(Your way does not work|Your context is nearly full)/.test(text ?? order.task);
      case "restart":
        return text === undefined && /ended because it was stuck/.test(order.task);
      case "restore":
        return text === undefined && this.#workspace.restored.size > 0;
      case "helper":
        return text === undefined && this.#hasHelper(order);
      case "other_agent":
        return text === undefined && order.spec.model === "second";
      case "operator":
      case "external":
        // The session is suspended while people are asked; the next one knows what they settled.
        return text === undefined && this.#asked > 0;
      case "warn":
        return false;
    }
  }

  /** The helper gets past what fails, and whoever goes on after it does too. */
  #hasHelper({ spec }: StartOrder): boolean {
    const models = [...this.#agents.sessions.values()].map(({ order }) => order.spec.model);
    return spec.model === "helper" || models.includes("helper");
  }

  get #use(): "acp" | "claude" {
    return this.#cell.use ?? "acp";
  }

  async begin(): Promise<void> {
    const leases = new Leases(this.#journal, this.#outside.world, HOST.lease.ms);
    const { epoch } = await createRun(
      this.#ports(this.#outside, this.#outside.world, this.#journal),
      leases,
      {
        id: RUN,
        goal: "simulated",
        flow: { name: "cell", phases: [], steps: [STEP] },
        agents: {
          first: { use: this.#use, model: "first" },
          second: { use: this.#use, model: "second" },
          helper: { use: this.#use, model: "helper" },
          judge: { use: this.#use, model: "judge" },
        },
        settings: runSettingsSchema.parse({
          ...SETTINGS,
          ...(this.#cell.judge === undefined ? {} : { triage: { agent: "judge" } }),
        }),
        budget: {},
        cwd: "/simulated",
        by: "sim",
      },
    );
    await leases.release(RUN, epoch);
    this.#startSupervisor();
    this.#lookAtInbox();
  }

  isOver(): boolean {
    const status = this.#disk.runs.get(RUN)?.listing.status;
    return status !== undefined && isEnded(status);
  }

  async result(): Promise<CellResult> {
    const all = [...this.#agents.sessions.values()];
    const sessions = all.filter(({ order }) => !isAdviser(order));
    return {
      events: await this.#journal.read(RUN, { after: 0, limit: 100_000 }),
      boundaries: this.#boundaries,
      deaths: this.#deaths,
      status: this.#disk.runs.get(RUN)?.listing.status ?? "unknown",
      told: this.#agents.told,
      starts: sessions.map(({ order }) => order),
      advisers: all.filter(({ order }) => isAdviser(order)).map(({ order, isOver }) => ({ order, isOver })),
      doubled: this.#agents.doubled,
      restored: this.#workspace.restored.size,
      notices: this.#notices,
    };
  }

  #startSupervisor(): void {
    const process = new SimProcess(this.#machine, "host-0");
    const world: World = {
      ...process.world,
      crashPoint: (name) => {
        this.#boundary(process);
        process.world.crashPoint(name);
      },
    };
    const journal = process.journal(memoryJournal({ world, disk: this.#disk }));
    const append = journal.append.bind(journal);
    journal.append = (order) => {
      const taken = order.events.filter((event) => event.type === "RemedyTaken");
      if (taken.length > 0) this.#inRecovery = true;
      if (this.#cell.cure === "warn" && taken.some(({ data }) => data.remedy === "warn"))
        // Nothing reaches the agent: it finds its way by itself while it is only spoken of.
        this.time.schedule(10_000, () => {
          this.#agents.cureAll();
        });
      return append(order);
    };
    process.onDeath(() => {
      this.#deaths += 1;
      this.time.schedule(1_000, () => {
        this.#startSupervisor();
      });
    });
    new Supervisor(this.#ports(process, world, journal)).work().then(
      () => undefined,
      () => {
        process.kill();
      },
    );
  }

  #boundary(process: SimProcess): void {
    if (!this.#inRecovery || !process.alive) return;
    this.#boundaries += 1;
    if (this.#boundaries !== this.#cell.dieAt) return;
    process.kill();
    throw new Fault("closed", "simulated: killed at a durable boundary");
  }

  #ports(process: SimProcess, world: World, journal: Journal): Ports {
    const notifier: Notifier = {
      deliver: async ({ id }) => {
        this.#notices.push(id);
        await process.hears(this.time.sleep(500));
        return { kind: "delivered", detail: "simulated" };
      },
    };
    return {
      world,
      journal,
      drivers: new Map([[this.#use, this.#agents.driver(process, this.#use)]]),
      quality: new SimQuality(this.#machine).port(process),
      notifier,
      guard: this.#guard.port(process),
      workspace: this.#workspace.port(process),
      artifacts: new SimArtifacts(this.#machine).port(process),
      settings: HOST,
    };
  }

  /** A person who looks at the run, or only at what comes by the other way; and whose look is the cure. */
  #lookAtInbox(): void {
    this.time.schedule(60_000, () => {
      const { cure } = this.#cell;
      const isBlocked = this.#disk.runs.get(RUN)?.listing.status === "blocked";
      const isTold = cure === "operator" || this.#notices.some((id) => id.includes("pager"));
      if ((cure === "operator" || cure === "external") && isBlocked && isTold) void this.#settle();
      this.#lookAtInbox();
    });
  }

  async #settle(): Promise<void> {
    this.#asked += 1;
    this.#agents.cureAll();
    const request = { kind: "retry", step: STEP.name } as const;
    await this.#journal.ask({
      id: `req_${String(this.#asked)}`,
      address: RUN,
      request,
      by: "people",
      at: this.time.now,
    });
  }
}

const STEP = {
  name: "work",
  task: "simulated work",
  agent: "first",
  needs: [],
  authority: "writes" as const,
  checks: [],
};
