import type { ChildFact } from "../../../src/decide/continuous/child-fact.ts";
import { evolveContinuous, newContinuous } from "../../../src/decide/continuous/evolve-continuous.ts";
import { turnOf } from "../../../src/decide/continuous/decide-continuous.ts";
import { answerContinuous, type ContinuousRequest } from "../../../src/decide/continuous/ask-continuous.ts";
import {
  type ContinuousSpec,
  continuousSpecSchema,
  type Goal,
  goalSchema,
} from "../../../src/model/continuous/continuous-spec.ts";
import type { ContinuousState } from "../../../src/model/continuous/continuous-state.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import { nothingSpent } from "../../../src/model/requests/budget.ts";

export const NOW = Date.UTC(2026, 10, 17, 12);

type GoalInput = Partial<Goal> & { readonly id: string };

/** A session at a desk: its runs are facts that the test states, and its turns are recorded. */
export class PlayedSession {
  state: ContinuousState = newContinuous("s");
  now = NOW;
  goals: Goal[];
  /** What a planner would see; null where there is no vision. */
  evidence: string | null = null;
  readonly events: RunEvent[] = [];
  readonly #children = new Map<string, ChildFact>();
  readonly refused = new Map<string, string>();

  constructor(goals: readonly GoalInput[], spec: Partial<ContinuousSpec> = {}) {
    this.goals = goals.map((goal) => goalSchema.parse({ goal: goal.id, ...goal }));
    const intake = { kind: "file", path: "/goals.yaml" } as const;
    this.ask({ kind: "begin", spec: continuousSpecSchema.parse({ intake, cwd: "/", ...spec }) });
    this.turn();
  }

  ask(request: ContinuousRequest): ReturnType<typeof answerContinuous> {
    const answer = answerContinuous(this.state, request, { by: "ada" });
    if (answer.kind === "done") for (const event of answer.events) this.#fold(event);
    return answer;
  }

  /** One turn, some time later; answers what was decided. */
  turn(afterMs = 1): RunEvent[] {
    this.now += afterMs;
    const seen = this.evidence === null ? {} : { evidence: this.evidence };
    const intake = { goals: this.goals, problems: [], ...seen };
    const facts = { now: this.now, children: this.#children, refused: this.refused, intake };
    const events = turnOf(structuredClone(this.state), facts);
    for (const event of events) this.#fold(event);
    return events;
  }

  /** States how a run stands now, and takes a turn. */
  run(run: string, fact: Partial<ChildFact>, afterMs = 1): RunEvent[] {
    const before = this.#children.get(run);
    const nothing = { spent: nothingSpent(), days: [], budget: {}, waits: null, ghost: null, failure: null };
    this.#children.set(run, { ...nothing, status: "running", ...before, run, ...fact });
    return this.turn(afterMs);
  }

  done(run: string, fact: Partial<ChildFact> = {}): RunEvent[] {
    return this.run(run, { status: "completed", waits: null, ...fact });
  }

  blocked(run: string, reason = "needs_human"): RunEvent[] {
    return this.run(run, {
      status: "blocked",
      waits: { reason, detail: "which port?", command: ["unblock", run] },
    });
  }

  get issued(): string[] {
    return this.events.flatMap((event) => (event.type === "GoalIssued" ? [event.data.run] : []));
  }

  get ends(): string[] {
    return Object.values(this.state.goals).map(
      ({ goal, status, end }) => `${goal.id} ${end?.kind ?? status}`,
    );
  }

  #fold(event: RunEvent): void {
    this.events.push(event);
    evolveContinuous(this.state, event, { seq: this.state.seq + 1, at: this.now });
  }
}
