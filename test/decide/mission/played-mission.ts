import { answerMission } from "../../../src/decide/mission/ask-mission.ts";
import type { MissionAnswer, MissionRequest } from "../../../src/decide/mission/mission-answers.ts";
import { missionTurn } from "../../../src/decide/mission/decide-mission.ts";
import { evolveMission, newMission } from "../../../src/decide/mission/evolve-mission.ts";
import type {
  MissionFacts,
  RehearsedWork,
  RepositoryFact,
  WorkFact,
} from "../../../src/decide/mission/mission-facts.ts";
import { toAccept } from "../../../src/decide/mission/workstreams.ts";
import type { Recorded, RunEvent } from "../../../src/model/events/events.ts";
import type { FinishedWork } from "../../../src/model/mission/mission-events.ts";
import { needsOrder } from "../../../src/model/mission/mission-problems.ts";
import {
  missionFileSchema,
  missionSpecSchema,
  type MissionFile,
} from "../../../src/model/mission/mission-spec.ts";
import type { MissionState } from "../../../src/model/mission/mission-state.ts";
import { nothingSpent } from "../../../src/model/requests/budget.ts";

const NOW = Date.UTC(2026, 10, 19, 12);
export const COMMIT = "0".repeat(40);

type Written = Omit<Partial<MissionFile>, "workstreams" | "repositories" | "barriers"> & {
  readonly workstreams: readonly object[];
  readonly barriers?: Readonly<Record<string, object>>;
};

/** A mission at a desk: its runs and repositories are facts that the test states, and its turns are recorded. */
export class PlayedMission {
  readonly state: MissionState = newMission("m");
  readonly events: Recorded[] = [];
  readonly children = new Map<string, WorkFact>();
  readonly refused = new Map<string, string>();
  readonly #repositories = new Map<string, RepositoryFact>();
  /** Commits that each branch holds. */
  readonly #held = new Set<string>();
  now = NOW;

  constructor(written: Written) {
    const file = missionFileSchema.parse({ repositories: { api: "/api", web: "/web" }, ...written });
    const repositories = Object.fromEntries(
      Object.keys(file.repositories).map((name) => [
        name,
        { path: `/${name}`, branch: "main", commit: COMMIT },
      ]),
    );
    for (const name of Object.keys(repositories)) this.repository(name, {});
    const order = file.order ?? needsOrder(file) ?? [];
    this.ask({ kind: "begin", spec: missionSpecSchema.parse({ ...file, order, repositories, cwd: "/" }) });
  }

  repository(name: string, fact: Partial<Omit<RepositoryFact, "work">>): void {
    const clean = {
      stand: { branch: "main", commit: COMMIT },
      dirty: [],
      keepsBase: true,
      otherOwner: null,
      work: {},
    };
    this.#repositories.set(name, { ...clean, ...this.#repositories.get(name), ...fact });
  }

  /** The branch of its repository holds a commit, or not any more. */
  holds(commit: string, isHeld = true): void {
    if (isHeld) this.#held.add(commit);
    else this.#held.delete(commit);
  }

  /** What taking in the work of a workstream would do, where that is no fast-forward. */
  readonly rehearsed = new Map<string, RehearsedWork["how"]>();

  get facts(): MissionFacts {
    const repositories = new Map(
      [...this.#repositories].map(([name, fact]) => {
        const here = toAccept(this.state).filter(({ goal }) => goal.repository === name);
        const work = here.map(({ goal, work: done }): [string, RehearsedWork] => {
          const isHeld = this.#held.has(done?.commit ?? "");
          return [
            goal.id,
            { how: isHeld ? "already" : (this.rehearsed.get(goal.id) ?? "fast_forward"), files: [] },
          ];
        });
        return [name, { ...fact, work: Object.fromEntries(work) }];
      }),
    );
    return { now: this.now, children: this.children, refused: this.refused, repositories };
  }

  ask(request: MissionRequest): MissionAnswer {
    const answer = answerMission(structuredClone(this.state), request, {
      asker: { by: "ada" },
      facts: this.facts,
    });
    if (answer.kind === "done") this.#record(answer.events);
    return answer;
  }

  /** One turn, some time later; answers what was decided. */
  turn(): RunEvent[] {
    this.now += 1;
    const events = missionTurn(structuredClone(this.state), this.facts);
    this.#record(events);
    return events;
  }

  /** States how a run stands now, and takes turns until nothing follows. */
  run(run: string, fact: Partial<WorkFact>): void {
    const nothing = { spent: nothingSpent(), days: [], budget: {}, waits: null, ghost: null, failure: null };
    const before = this.children.get(run);
    const seq = (before?.seq ?? 0) + 1;
    this.children.set(run, {
      ...nothing,
      status: "running",
      work: null,
      accepted: null,
      refusal: null,
      ...before,
      run,
      ...fact,
      seq,
    });
    while (this.turn().length > 0);
  }

  done(run: string, work: Partial<FinishedWork> = {}): void {
    const made = { commit: `c.${run}`, from: COMMIT, artifacts: [], decisions: null, values: {}, ...work };
    this.run(run, { status: "completed", waits: null, work: made });
  }

  fails(run: string): void {
    this.run(run, { status: "failed", failure: "the tests fail" });
  }

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }

  get launched(): string[] {
    return this.events.flatMap(({ type, data }) => (type === "WorkstreamLaunched" ? [data.run] : []));
  }

  #record(events: readonly RunEvent[]): void {
    for (const event of events) {
      const place = { seq: this.state.seq + 1, at: this.now };
      this.events.push({ ...event, ...place, hash: "" } as unknown as Recorded);
      evolveMission(this.state, event, place);
    }
  }
}

export const AUTOPILOT = { autoRetry: false, retries: 2, missionRetries: 10, continueOnFailure: false };
