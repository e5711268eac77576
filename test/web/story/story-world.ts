import path from "node:path";
import { selfIdentity } from "../../../src/agents/process-identity.ts";
import type { Journal } from "../../../src/journal/journal.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { hostSettingsSchema } from "../../../src/model/settings/settings.ts";
import type { RunRequest } from "../../../src/model/requests/requests.ts";
import type { World } from "../../../src/model/world.ts";
import type { Evidence } from "../../../src/model/effects/evidence.ts";
import type { Notifier } from "../../../src/notify/notifier.ts";
import { sessionsFolderOf } from "../../../src/open-store.ts";
import { createRun, type RunOrder } from "../../../src/runtime/create-run.ts";
import { Leases } from "../../../src/runtime/leases.ts";
import { supervisorAddress } from "../../../src/runtime/supervisor/lost-hosts.ts";
import type { Ports } from "../../../src/runtime/ports.ts";
import { Supervisor } from "../../../src/runtime/supervisor/supervisor.ts";
import { gitWorkspace } from "../../../src/workspace/git-workspace.ts";
import { fileArtifacts } from "../../../src/workspace/accept/file-artifacts.ts";
import { NO_FAULTS } from "../../../sim/faults/sim-faults.ts";
import { SimGuard } from "../../../sim/world/sim-guard.ts";
import { seededChance } from "../../../sim/world/seeded-chance.ts";
import { SimProcess, type SimMachine } from "../../../sim/world/sim-process.ts";
import { SimTime } from "../../../sim/world/sim-time.ts";
import { StoryAgents, type ScriptOf } from "./story-agents.ts";

export const MINUTE = 60_000;
const HOST = hostSettingsSchema.parse({ supervisor: { scanMs: 5_000 }, limits: { runsAtOnce: 100 } });

export interface StoryOrder {
  readonly home: string;
  readonly startsAt: number;
  readonly scriptOf: ScriptOf;
  /** How a check ends, by its command. */
  readonly checkOf: (command: string) => Evidence["verdict"];
  readonly notifier: Notifier;
}

/**
 * The real runtime on simulated time, with a real store and real trees of files: hours of runs are played in seconds, and
 * the same each time. Agents, checks and receivers of notices are scripted. After `playUntil` nothing moves any more, and
 * this process holds the leases as a supervisor does that is alive.
 */
export class StoryWorld {
  readonly time: SimTime;
  readonly #order: StoryOrder;
  readonly #machine: SimMachine;
  readonly #agents: StoryAgents;
  readonly #people: SimProcess;
  #pending = 0;
  #journal: Journal | null = null;
  #requests = 0;

  constructor(order: StoryOrder) {
    this.#order = order;
    this.time = new SimTime(() => this.#settled());
    this.time.now = order.startsAt;
    this.#machine = {
      time: this.time,
      chance: seededChance(7),
      faults: () => NO_FAULTS,
      processes: [],
      violations: [],
      callsPerMinuteMax: 1_000_000,
    };
    this.#agents = new StoryAgents(this.time, order.scriptOf);
    this.#people = new SimProcess(this.#machine, "people");
  }

  async open(): Promise<void> {
    const world = this.#worldOf(this.#people);
    const file = path.join(this.#order.home, "holdfast.db");
    this.#journal = this.#counted(await openSqliteJournal({ file, world }));
  }

  get journal(): Journal {
    if (this.#journal === null) throw new Error("the story was not opened");
    return this.#journal;
  }

  async create(order: RunOrder): Promise<void> {
    const leases = new Leases(this.journal, this.#worldOf(this.#people), HOST.lease.ms);
    const ports = { journal: this.journal, world: this.#worldOf(this.#people) };
    const { run, epoch } = await createRun(ports, leases, order);
    await leases.release(run, epoch);
  }

  async ask(run: string, request: RunRequest): Promise<void> {
    this.#requests += 1;
    await this.journal.ask({
      id: `req_story_${String(this.#requests)}`,
      address: run,
      request,
      by: "ada",
      at: this.time.now,
    });
  }

  /** At that time of the story, which is later than now. */
  at(when: number, act: () => Promise<void>): void {
    this.time.schedule(when - this.time.now, () => {
      void act();
    });
  }

  async startSupervisor(): Promise<() => void> {
    const process = new SimProcess(this.#machine, "supervisor");
    const world = this.#worldOf(process);
    const ports = await this.#ports(process, world);
    const supervisor = new Supervisor(ports);
    await supervisor.leases.take(supervisorAddress(world.self));
    void supervisor.work().catch((error: unknown) => {
      if (process.alive) throw error;
    });
    return () => process.kill();
  }

  playUntil(when: number): Promise<void> {
    return this.time.run(when, () => false);
  }

  /** All processes of a story run on this host; the last supervisor is this process. */
  #worldOf(process: SimProcess): World {
    const self = { ...selfIdentity() };
    return {
      ...process.world,
      self: process.identity.pid <= 2 ? { ...self, pid: 999_999, startedAt: "1" } : self,
      liveness: ({ pid }) => (pid === self.pid ? "alive" : "gone"),
    };
  }

  async #ports(process: SimProcess, world: World): Promise<Ports> {
    const file = path.join(this.#order.home, "holdfast.db");
    const sessions = sessionsFolderOf(`sqlite:${file}`);
    const journal = process.journal(this.#counted(await openSqliteJournal({ file, world })));
    // Real changes of the file come when they come: the supervisor looks at its own times.
    journal.watch = () => () => undefined;
    return {
      world,
      journal,
      drivers: new Map([["claude", this.#agents.driver(process)]]),
      quality: this.#quality(process),
      notifier: this.#order.notifier,
      guard: new SimGuard(this.#machine).port(process),
      workspace: this.#counted(gitWorkspace({ world, home: `${sessions}-trees` })),
      artifacts: this.#counted(fileArtifacts({ world, folder: `${sessions}-artifacts` })),
      settings: HOST,
    };
  }

  #quality(process: SimProcess): Ports["quality"] {
    return {
      check: async ({ command }) => {
        const durationMs = 41_000;
        await process.hears(this.time.sleep(durationMs));
        const verdict = this.#order.checkOf(command);
        return {
          command,
          verdict,
          exitCode: verdict === "pass" ? 0 : 1,
          signal: null,
          timedOut: false,
          outputBytes: 2_048,
          digest: "",
          excerpt:
            verdict === "pass" ? "48 tests passed" : "1 of 48 tests failed: expired sessions are refused",
          durationMs,
        };
      },
    };
  }

  /** What is under way in real files is waited for before time moves. */
  #counted<Port extends object>(port: Port): Port {
    const done = (): void => {
      this.#pending -= 1;
    };
    return new Proxy(port, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...args: unknown[]): unknown => {
          const answer: unknown = Reflect.apply(value, target, args);
          if (!(answer instanceof Promise)) return answer;
          this.#pending += 1;
          answer.then(done, done);
          return answer;
        };
      },
    });
  }

  async #settled(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet = this.#pending === 0 ? quiet + 1 : 0)
      await new Promise((resolve) => setImmediate(resolve));
  }
}
