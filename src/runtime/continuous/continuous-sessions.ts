import { childFact, isRead, type ChildFact } from "../../decide/continuous/child-fact.ts";
import { continuousDueAt, isAtWork } from "../../decide/continuous/continuous-due.ts";
import type { ContinuousFacts } from "../../decide/continuous/continuous-facts.ts";
import { decideContinuous, turnOf } from "../../decide/continuous/decide-continuous.ts";
import { followedRuns } from "../../decide/continuous/goal-runs.ts";
import { intakeDueAt, isIdle } from "../../decide/continuous/intake-rule.ts";
import { continuousAddress, type ReadIntake } from "../../model/continuous/continuous-spec.ts";
import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import { errorText } from "../../model/fault.ts";
import type { Leases } from "../leases.ts";
import { openRun } from "../load-run.ts";
import type { Ports } from "../ports.ts";
import { DigestSender } from "./digest-sender.ts";
import { goalEffects, type GoalEffects } from "./goal-effects.ts";
import { listContinuous, readContinuous } from "./read-continuous.ts";
import { OPEN_STATUSES } from "./shared-journal.ts";
import { lookAtEach, turnUnderLease } from "./shared-turn.ts";
import { writeContinuous } from "./write-continuous.ts";

/** Enough of a journal to see whether its agent was ever at work, and what a planner said last. */
const READ_MAX = 10_000;

type AboutChild = Parameters<typeof childFact>[2];

interface Known {
  readonly seq: number;
  readonly fact: ChildFact;
}

/**
 * Goes on with the continuous sessions of a store: looks at their runs and intakes, and decides what follows.
 *
 * On disk at each instant: a journal per session, written under a lease that is held for one turn. A goal's run is named
 * in `GoalIssued` before it is created, so whoever comes next creates it, or finds it; requests to runs have ids that
 * follow from the event that wants them. Nothing here needs to be remembered: what is, is a copy that may lag behind.
 */
export class ContinuousSessions {
  readonly #ports: Ports;
  readonly #leases: Leases;
  readonly #effects: GoalEffects;
  readonly #digests: DigestSender;
  readonly #known = new Map<string, ContinuousState>();
  readonly #children = new Map<string, Known>();
  /** Readings of which nothing was recorded. */
  readonly #readAt = new Map<string, number>();
  #nextLook = Infinity;
  #hasMoved = false;

  constructor(ports: Ports, leases: Leases) {
    this.#ports = ports;
    this.#leases = leases;
    this.#effects = goalEffects(ports, leases);
    this.#digests = new DigestSender(ports, leases);
  }

  /** When a session wants to be looked at next, as of the last look; Infinity where none does. */
  get nextAt(): number {
    return this.#nextLook;
  }

  /** One turn of each session that is not over; answers whether anything followed. */
  async look(): Promise<boolean> {
    if (this.#ports.goals === undefined) return false;
    this.#hasMoved = false;
    const names = await listContinuous(this.#ports.journal, OPEN_STATUSES);
    this.#nextLook = Math.min(...(await lookAtEach(names, (name) => this.#lookAt(name), Infinity)));
    return this.#hasMoved;
  }

  async #lookAt(name: string): Promise<number> {
    const state = await readContinuous(this.#ports.journal, name, this.#known.get(name));
    this.#known.set(name, state);
    const facts = await this.#factsOf(state);
    const { judgeContinuous: decide = decideContinuous } = this.#ports;
    const decided = decide(state, facts).length > 0;
    if (decided || this.#effects.isOwed(state, facts)) await this.#turn(state, facts);
    const after = this.#known.get(name) ?? state;
    await this.#digests.send(after, this.#ports.world.now());
    const now = this.#ports.world.now();
    if (!isAtWork(after, now)) return Infinity;
    const dueAt = continuousDueAt(after, now);
    return dueAt === Infinity ? now : Math.max(dueAt, now);
  }

  async #turn(before: ContinuousState, facts: ContinuousFacts): Promise<void> {
    const { name } = before;
    await turnUnderLease(this.#leases, {
      ...{ address: continuousAddress(name), before, at: facts.now },
      read: () => readContinuous(this.#ports.journal, name, before),
      decide: (state) => turnOf(state, facts, this.#ports.judgeContinuous),
      write: (write) => writeContinuous(this.#ports, before, write),
      perform: (after) => {
        this.#known.set(name, after);
        this.#hasMoved = true;
        return this.#effects.perform(after, facts);
      },
    });
  }

  async #factsOf(state: ContinuousState): Promise<ContinuousFacts> {
    const now = this.#ports.world.now();
    const children = new Map<string, ChildFact>();
    for (const { goal, run } of followedRuns(state)) {
      const fact = await this.#child(run.run, { now, isPlan: goal.isPlan });
      if (fact !== null) children.set(run.run, fact);
    }
    const intake = await this.#readIntake(state, now);
    return { now, children, refused: this.#effects.refused, tried: this.#digests.tried, intake };
  }

  /** A run is folded again only when it has moved. */
  async #child(run: string, about: AboutChild): Promise<ChildFact | null> {
    const { journal } = this.#ports;
    const head = await journal.head(run);
    if (head === null) return null;
    const known = this.#children.get(run);
    if (known?.seq === head.seq) return known.fact;
    const loaded = await openRun(journal, run);
    if (loaded === null) return null;
    const { state } = loaded;
    const events = isRead(state, about.isPlan) ? await journal.read(run, { after: 0, limit: READ_MAX }) : [];
    const fact = childFact(state, events, about);
    this.#children.set(run, { seq: state.seq, fact });
    return fact;
  }

  async #readIntake(state: ContinuousState, now: number): Promise<ReadIntake | null> {
    const { spec, name } = state;
    if (spec === null || intakeDueAt(state, now) > now) return null;
    const readAt = this.#readAt.get(name) ?? -Infinity;
    const isAwaited = spec.idle.policy === "end" || (spec.idle.policy === "plan" && isIdle(state));
    if (state.intake.readAt !== null && now < readAt + spec.idle.everyMs && !isAwaited) return null;
    this.#readAt.set(name, now);
    return (
      this.#ports.goals
        ?.read(spec)
        .catch((error: unknown) => ({ goals: [], problems: [errorText(error)] })) ?? null
    );
  }
}
