import { createHash } from "node:crypto";
import { decodeStored } from "../../src/journal/chain.ts";
import { memoryDisk, type MemoryDisk } from "../../src/journal/memory/memory-disk.ts";
import { memoryJournal } from "../../src/journal/memory/memory-journal.ts";
import type { Journal } from "../../src/journal/journal.ts";
import type { Recorded } from "../../src/model/events/events.ts";
import { isEnded } from "../../src/model/state/run-status.ts";
import { hostSettingsSchema, type HostSettings } from "../../src/model/settings/settings.ts";
import { createRun } from "../../src/runtime/create-run.ts";
import { Leases } from "../../src/runtime/leases.ts";
import { Requests } from "../../src/runtime/requests.ts";
import type { Ports } from "../../src/runtime/ports.ts";
import { Supervisor } from "../../src/runtime/supervisor/supervisor.ts";
import { safetyViolations } from "../checkers/checkers.ts";
import { seededChance } from "./seeded-chance.ts";
import { SimArtifacts } from "./sim-artifacts.ts";
import { SimAgents } from "../agents/sim-agents.ts";
import { NO_FAULTS, drawFaults, type Faults } from "../faults/sim-faults.ts";
import { SimPeople } from "../people/sim-people.ts";
import { SimProcess, type SimMachine } from "./sim-process.ts";
import { drawRun } from "./sim-run-order.ts";
import { decideOf, withAdvisers } from "../agents/draw-reviews.ts";
import { withRules } from "../people/draw-rules.ts";
import { SimReceiver } from "./sim-notifier.ts";
import { SimGuard } from "./sim-guard.ts";
import { SimQuality } from "./sim-quality.ts";
import { SimWorkspace } from "./sim-workspace.ts";
import { SimWeather } from "../faults/sim-weather.ts";
import type { SimOptions, SimResult } from "./sim-options.ts";
import { SimTime } from "./sim-time.ts";
import { Witness } from "./witness.ts";

/** Far from all seeds that are tried: the flows of one seed are not the lives of another. */
const FLOWS = 1_000_000_007;
const RULES = 1_500_000_001;
const ADVISERS = 1_800_000_011;
const HOUR = 3_600_000;
const LIVENESS_MS = 48 * HOUR;
const SETTINGS: HostSettings = hostSettingsSchema.parse({
  supervisor: { scanMs: 15_000 },
  limits: { runsAtOnce: 100 },
});

/**
 * One simulated life of a store: the real runtime and judgement on simulated time, disk, agents and people.
 * First with faults (safety must hold), then without (every run must come to an end).
 */
export async function simulate(options: SimOptions): Promise<SimResult> {
  const sim = new Simulation(options);
  await sim.createRuns();
  sim.startHosts();
  await sim.time.run(sim.time.now + (options.safetyMs ?? 3 * HOUR), () => sim.isBroken());
  sim.calm();
  const deadline = sim.time.now + (options.livenessMs ?? LIVENESS_MS);
  await sim.time.run(deadline, () => sim.allEnded() || sim.isBroken());
  return sim.result();
}

class Simulation {
  readonly time = new SimTime();
  readonly #options: SimOptions;
  readonly #machine: SimMachine;
  readonly #disk: MemoryDisk = memoryDisk();
  readonly #witness: Witness;
  readonly #leases: Leases;
  readonly #outside: SimProcess;
  readonly #outsideJournal: Journal;
  #faults: Faults;
  #kills = 0;
  #runs: string[] = [];
  #stepsMost = 0;

  constructor(options: SimOptions) {
    this.#options = options;
    const chance = seededChance(options.seed);
    this.#faults = options.faults ?? drawFaults(chance);
    this.#machine = {
      time: this.time,
      chance,
      faults: () => this.#faults,
      processes: [],
      violations: [],
      callsPerMinuteMax: 3_000 + 1_000 * (options.runs ?? 2),
    };
    const faultless: SimMachine = { ...this.#machine, faults: () => NO_FAULTS };
    this.#outside = new SimProcess(faultless, "people");
    this.#outsideJournal = memoryJournal({ world: this.#outside.world, disk: this.#disk });
    this.#leases = new Leases(this.#outsideJournal, this.#outside.world, SETTINGS.lease.ms);
    this.#witness = this.#newWitness();
  }

  #newWitness(): Witness {
    const machine = this.#machine;
    const witness = new Witness({ machine, disk: this.#disk, journal: this.#outsideJournal });
    witness.agents = new SimAgents(machine, ({ run, attempt }, session) => {
      const judge = decideOf(attempt);
      if (judge !== null) {
        // By whom it is asked is told by its session, which the intent names.
        witness.noteIntent(
          run,
          judge === "review" ? `${attempt.replace(/\.review$/, "")}/AskReview` : "triage/AskTriage",
        );
        return;
      }
      witness.noteIntent(run, `${attempt}/StartAgent`);
      witness.noteStart(session);
      witness.guard.work(session);
      witness.guard.tempt(session);
    });
    const weather = new SimWeather(machine, witness.agents);
    witness.agents.refusal = (session) => weather.refusal(session);
    witness.receiver = new SimReceiver(machine, ({ run, id }) => {
      witness.noteIntent(run, `${id}/Notify`);
    });
    witness.quality = new SimQuality(machine);
    witness.guard = new SimGuard(machine);
    witness.artifacts = new SimArtifacts(machine);
    witness.workspace = new SimWorkspace(machine, witness.guard);
    for (const room of [witness.quality, witness.workspace])
      room.isBroken = () => weather.isRepositoryBroken();
    return witness;
  }

  async createRuns(): Promise<void> {
    const { chance } = this.#machine;
    const flowChance = seededChance(this.#options.seed + FLOWS);
    const ruleChance = seededChance(this.#options.seed + RULES);
    const decideChance = seededChance(this.#options.seed + ADVISERS);
    const ports: Ports = {
      world: this.#outside.world,
      journal: this.#outsideJournal,
      drivers: new Map(),
      quality: this.#witness.quality.port(this.#outside),
      notifier: this.#witness.receiver.notifier(this.#outside),
      guard: this.#witness.guard.port(this.#outside),
      workspace: this.#witness.workspace.port(this.#outside),
      artifacts: this.#witness.artifacts.port(this.#outside),
      settings: SETTINGS,
    };
    const count = this.#options.runs ?? 1 + Math.floor(chance() * 3);
    for (let index = 0; index < count; index += 1) {
      const id = `run-${String(index)}`;
      const ruled = withRules(drawRun(chance, this.#options, flowChance), this.#options, ruleChance);
      const drawn = withAdvisers(ruled, this.#options, decideChance);
      this.#stepsMost = Math.max(this.#stepsMost, drawn.flow.steps.length);
      const place = { cwd: `/simulated/${id}`, repository: "/simulated" };
      const { epoch } = await createRun(ports, this.#leases, { id, ...drawn, ...place });
      await this.#leases.release(id, epoch);
      this.#runs.push(id);
    }
  }

  startHosts(): void {
    const hosts = this.#options.hosts ?? (this.#machine.chance() < 0.4 ? 2 : 1);
    for (let host = 0; host < hosts; host += 1) this.#startSupervisor(`host-${String(host)}`);
    const requests = new Requests(this.#outsideJournal, this.#outside.world, this.#leases);
    new SimPeople({
      machine: this.#machine,
      journal: this.#outsideJournal,
      requests,
      guard: this.#witness.guard,
    });
  }

  /** No more faults; whoever stands still wakes up. */
  calm(): void {
    this.#faults = NO_FAULTS;
    for (const process of this.#machine.processes) process.skewMs = 0;
  }

  /** Once a promise is broken there is no use in going on. */
  isBroken(): boolean {
    const runaway = this.#disk.eventsWritten > (this.#options.eventsMax ?? 12_000);
    if (runaway && this.#machine.violations.length === 0)
      this.#machine.violations.push("the journal runs away: it spins");
    return this.#machine.violations.length > 0;
  }

  allEnded(): boolean {
    return [...this.#disk.runs.values()].every(
      ({ listing }) => isEnded(listing.status) && listing.wakeAt === null,
    );
  }

  async result(): Promise<SimResult> {
    const violations = [...this.#machine.violations];
    for (const run of this.#runs) violations.push(...(await safetyViolations(run, this.#witness)));
    for (const damage of await this.#outsideJournal.verify())
      violations.push(`damage: ${JSON.stringify(damage)}`);
    for (const [run, { listing }] of this.#disk.runs)
      if (!isEnded(listing.status))
        violations.push(`${run}: no end in sight: still ${listing.status} without faults`);
      else if (listing.wakeAt !== null)
        violations.push(`${run}: has ended as ${listing.status}, and what it has left to do is not done`);
    const digest = createHash("sha256");
    let events = 0;
    for (const [run, stored] of this.#disk.runs) {
      digest.update(`${run} ${stored.events.at(-1)?.hash ?? ""}\n`);
      events += stored.events.length;
    }
    const simulatedMs = this.time.now - Date.UTC(2030, 0, 1);
    return {
      seed: this.#options.seed,
      violations,
      hash: digest.digest("hex"),
      events,
      kills: this.#kills,
      simulatedMs,
      stepsMost: this.#stepsMost,
      journals: this.#options.journals === true ? this.#runs.map((run) => this.#journalOf(run)) : [],
    };
  }

  #journalOf(run: string): Recorded[] {
    return (this.#disk.runs.get(run)?.events ?? []).map((event) => decodeStored(event));
  }

  #startSupervisor(host: string): void {
    const process = new SimProcess(this.#machine, host);
    const usual = this.#ports(process);
    const ports = this.#options.plant?.(usual) ?? usual;
    const again = (): void => {
      this.time.schedule(500 + this.#machine.chance() * 20_000, () => {
        this.#startSupervisor(host);
      });
    };
    process.onDeath(() => {
      this.#kills += 1;
      again();
    });
    new Supervisor(ports).work().then(
      () => undefined,
      () => {
        // A fault ends a supervisor; its process ends with it and is started again.
        process.kill();
      },
    );
    this.#trouble(process);
  }

  #ports(process: SimProcess): Ports {
    const inner = memoryJournal({ world: process.world, disk: this.#disk });
    const journal = process.journal(inner);
    const append = journal.append.bind(journal);
    journal.append = async (order) => {
      this.#witness.noteMarks(order.events);
      const outcome = await append(order);
      if (outcome.kind === "appended") this.#witness.noteAck(order.run, outcome.head);
      return outcome;
    };
    const drivers = new Map(
      (["demo", "function"] as const).map((use) => [use, this.#witness.agents.driver(use, process)]),
    );
    const quality = this.#witness.quality.port(process);
    const notifier = this.#witness.receiver.notifier(process);
    const guard = this.#witness.guard.port(process);
    const workspace = this.#witness.workspace.port(process);
    return {
      world: process.world,
      journal,
      drivers,
      quality,
      notifier,
      guard,
      workspace,
      artifacts: this.#witness.artifacts.port(process),
      cleanFolders: this.#witness.workspace.cleanFolders(process),
      settings: SETTINGS,
    };
  }

  /** Sudden death, standing still, and a clock that jumps. */
  #trouble(process: SimProcess): void {
    const { chance } = this.#machine;
    this.time.schedule(30_000, () => {
      if (!process.alive) return;
      const { meanLifeMs, meanAwakeMs, clockJump } = this.#faults;
      if (chance() < 30_000 / meanLifeMs) process.kill();
      if (chance() < 30_000 / meanAwakeMs) process.stillUntil = this.time.now + chance() * 90_000;
      if (chance() < clockJump) process.skewMs = skewOf(chance());
      this.#trouble(process);
    });
  }
}

/** Mostly some minutes, now and then up to a day, in both directions. */
function skewOf(chance: number): number {
  const part = 2 * chance - 1;
  return Math.round(part * 5 * 60_000 + Math.sign(part) * part ** 8 * 24 * HOUR);
}
