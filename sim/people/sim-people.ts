import { recoveryChoices } from "../../src/decide/recovery/recovery-choices.ts";
import { isAllowed } from "../../src/decide/recovery/state-table.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { alarmId } from "../../src/model/requests/alarm.ts";
import { escalationId } from "../../src/model/requests/blocked.ts";
import type { RunRequest } from "../../src/model/requests/requests.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { loadRun } from "../../src/runtime/load-run.ts";
import type { Requests } from "../../src/runtime/requests.ts";
import { requestOfWords } from "./request-of-words.ts";
import type { SimGuard } from "../world/sim-guard.ts";
import type { SimMachine } from "../world/sim-process.ts";

type Whim = (state: RunState, chance: () => number) => RunRequest;

const nthEscalation = (state: RunState, nth: number): RunRequest => ({
  kind: "unblock",
  escalation: escalationId(state.run, nth),
});

const alarm = (state: RunState, chance: () => number) => ({
  kind: "alarm" as const,
  dueAt: Math.round(state.at + chance() * 40 * 60_000),
  note: `simulated: ${String(chance())}`,
});

const WHIMS: readonly Whim[] = [
  () => ({ kind: "pause" }),
  () => ({ kind: "pause" }),
  () => ({ kind: "resume" }),
  () => ({ kind: "resume" }),
  () => ({ kind: "retry" }),
  () => ({ kind: "retry", step: "s0" }),
  () => ({ kind: "retry", step: "nothing" }),
  () => ({ kind: "cancel" }),
  () => ({ kind: "reopen" }),
  () => ({ kind: "approve" }),
  () => ({ kind: "approve", note: "simulated: fine" }),
  (_, chance) => ({ kind: "reject", note: `simulated: no, ${String(chance())}` }),
  /** The escalation that is open, one that is not yet, and one that was. */
  (state) => nthEscalation(state, state.escalated),
  (state) => ({ ...nthEscalation(state, state.escalated), note: "simulated: go on" }) as RunRequest,
  (state) => nthEscalation(state, state.escalated + 1),
  (state) => nthEscalation(state, Math.max(1, state.escalated - 1)),
  () => ({ kind: "escalate", note: "simulated: look at this" }),
  () => ({ kind: "escalate", note: "simulated: look at that", step: "s0" }),
  (state) => ({ kind: "budget", budget: { usd: state.spent.usd + 0.02 } }),
  (state) => ({ kind: "budget", budget: { tokens: Math.round(state.spent.tokens / 2) + 1 } }),
  () => ({ kind: "set", changes: [{ key: "attempts.perStep", value: 5 }] }),
  (state) => ({
    kind: "set",
    changes: [{ key: "time.runMs", value: 60_000 + Math.round(state.clock.usedMs) }],
  }),
  () => ({ kind: "set", changes: [{ key: "step.s0.budget.usd", value: 0.05 }], note: "simulated: more" }),
  () => ({ kind: "set", changes: [{ key: "budget.onExceed", value: "warn" }] }),
  (state, chance) => alarm(state, chance),
  (state, chance) => ({ ...alarm(state, chance), step: "s0" }),
  /** As an agent sets one for itself. */
  (state, chance) => ({ ...alarm(state, chance), attempt: Object.keys(state.attempts)[0] ?? "s0#1" }),
  (state, chance) => ({ ...alarm(state, chance), attempt: Object.keys(state.attempts)[0] ?? "s0#1" }),
  (state) => ({ kind: "cancel_alarm", alarm: alarmId(state.run, Math.max(1, state.alarmsSet)) }),
  (state) => ({
    kind: "checkpoint_note",
    attempt: Object.keys(state.attempts)[0] ?? "s0#1",
    note: { done: "simulated" },
  }),
  () => ({ kind: "checkpoint" }),
  () => ({ kind: "commit" }),
  () => ({ kind: "accept" }),
  () => ({ kind: "checkpoint", note: "simulated: before lunch" }),
  () => ({ kind: "handoff", to: "other", spec: { use: "demo" }, files: [] }),
  () => ({ kind: "handoff", to: "other", spec: { use: "demo" }, step: "s0", files: [] }),
  () => ({ kind: "restore" }),
  (state) => ({ kind: "restore", checkpoint: `c${String(Math.max(1, state.checkpointed - 1))}` }),
  () => ({ kind: "restore", checkpoint: "c1" }),
  () => ({ kind: "reissue", reason: "drift" }),
  () => ({ kind: "reissue", reason: "stale", step: "s0" }),
  () => ({ kind: "reconcile" }),
  () => ({ kind: "trust", trees: [] }),
  () => ({ kind: "trust", trees: [], undo: true }),
  () => ({ kind: "signal", name: "simulated", value: 1 }),
  () => ({ kind: "settle", key: "simulated", outcome: { kind: "again" } }),
];

/** What people are given to ask with. */
export interface PeopleHandle {
  readonly machine: SimMachine;
  readonly journal: Journal;
  readonly requests: Requests;
  readonly guard: SimGuard;
}

/** People who ask for things: at random while faults are on; and some who do what the inbox tells them, word for word. */
export class SimPeople {
  readonly #machine: SimMachine;
  readonly #journal: Journal;
  readonly #requests: Requests;
  readonly #guard: SimGuard;
  #asked = 0;

  constructor({ machine, journal, requests, guard }: PeopleHandle) {
    this.#guard = guard;
    this.#machine = machine;
    this.#journal = journal;
    this.#requests = requests;
    this.#live();
    this.#help();
  }

  #live(): void {
    const { time, chance, faults } = this.#machine;
    const meanMs = faults().meanRequestMs;
    const delayMs = Number.isFinite(meanMs) ? -Math.log(1 - chance()) * meanMs : 10 * 60_000;
    time.schedule(delayMs, () => {
      if (Number.isFinite(faults().meanRequestMs)) void this.#whim();
      this.#live();
    });
  }

  async #whim(): Promise<void> {
    const { chance } = this.#machine;
    const listings = await this.#journal.runs();
    const listing = listings[Math.floor(chance() * listings.length)];
    const state = listing === undefined ? null : await loadRun(this.#journal, listing.run);
    // People change protected files too, while agents are at work and while none is.
    if (state !== null && chance() < 0.05) this.#guard.change(state.cwd);
    // Sometimes several commands in one breath.
    do if (state !== null) await this.#ask(state.run, this.#draw(state));
    while (chance() < 0.3);
  }

  /** Anything at all, or more often than not something that may be asked where the run stands. */
  #draw(state: RunState): RunRequest {
    const { chance } = this.#machine;
    const wishes = WHIMS.map((whim) => whim(state, chance));
    const fit = chance() < 0.6 ? wishes.filter(({ kind }) => isAllowed(kind, state.status)) : wishes;
    return fit[Math.floor(chance() * fit.length)] ?? { kind: "resume" };
  }

  /** Somebody reads the inbox every quarter of an hour and does what is asked of people. */
  #help(): void {
    const { time, chance, faults } = this.#machine;
    time.schedule(15 * 60_000, () => {
      if (chance() < faults().peopleHelp) void this.#helpAll();
      this.#help();
    });
  }

  async #helpAll(): Promise<void> {
    const statuses = ["paused", "blocked", "awaiting_approval"] as const;
    for (const { run } of await this.#journal.runs({ statuses })) {
      const state = await loadRun(this.#journal, run);
      if (state?.status === "paused") await this.#ask(run, { kind: "resume" });
      if (state === null || state.blocked === null) continue;
      // Whoever has read what is known takes the first choice that changes something; nobody gives the run up.
      const choices = recoveryChoices(state, state.blocked).map(({ words }) => words);
      const asked = choices.map(requestOfWords).find((request) => request !== null);
      if (asked === undefined)
        this.#machine.violations.push(
          `${run}: no command that is printed helps: ${choices.map((words) => words.join(" ")).join("; ")}`,
        );
      else await this.#ask(asked.run, this.#withTrees(state, asked.request));
    }
  }

  /** Whoever looks at what differs trusts what there is to be seen. */
  #withTrees(state: RunState, request: RunRequest): RunRequest {
    if (request.kind !== "trust") return request;
    const trees = Object.keys(state.guards).map((tree) => ({
      tree,
      trusted: this.#guard.now(tree),
      paths: 1,
    }));
    return { ...request, trees };
  }

  /** Through the inbox alone, or as the command line does it: where nobody owns the run, the asker decides. */
  async #ask(run: string, request: RunRequest): Promise<void> {
    if (this.#machine.chance() < 0.3) {
      const outcome = await this.#requests.ask(run, request, { by: "people", waitMs: 0 });
      if (outcome.kind === "answered") await this.#seeToWake(run);
      return;
    }
    this.#asked += 1;
    const id = `req_${String(this.#asked)}`;
    const row = { id, address: run, request, by: "people", at: this.#machine.time.now };
    await this.#journal.ask(row);
    // A person in a hurry asks the same thing twice under one id.
    if (this.#machine.chance() < 0.1) await this.#journal.ask(row);
  }

  /** The asker tells nobody and lets go: what is to be told must wake somebody who does. */
  async #seeToWake(run: string): Promise<void> {
    const { now } = this.#machine.time;
    const state = await loadRun(this.#journal, run);
    const listing = (await this.#journal.runs()).find((listed) => listed.run === run);
    if (state === null || listing === undefined || Object.keys(state.effects).length > 0) return;
    const due = Object.values(state.notices).some(({ notBefore }) => notBefore <= now);
    if (due && (listing.wakeAt ?? Infinity) > now + 1)
      this.#machine.violations.push(`${run}: a notice is due and nobody will wake for it`);
  }
}
