import { acceptRequestId, answeredIn, laidDown, workFact } from "../../decide/mission/work-fact.ts";
import { leftToAccept } from "../../decide/mission/found-work.ts";
import type {
  MissionFacts,
  RepositoryFact,
  RehearsedWork,
  WorkFact,
} from "../../decide/mission/mission-facts.ts";
import { toAccept, watchedRuns, workstreamRunId, workstreamsOf } from "../../decide/mission/workstreams.ts";
import type { FinishedWork } from "../../model/mission/mission-events.ts";
import type { MissionState, WorkstreamState } from "../../model/mission/mission-state.ts";
import { valueAtPointer } from "../../model/values/pointed.ts";
import { openRun } from "../load-run.ts";
import type { Ports } from "../ports.ts";
import { OPEN_STATUSES } from "../continuous/shared-journal.ts";
import { listMissions, readMission } from "./read-mission.ts";

const ANSWER_EVENTS_MAX = 2_000;
const DECISIONS_CHARS_MAX = 16_384;

interface Known {
  readonly seq: number;
  readonly asked: number | null;
  readonly fact: WorkFact;
}

/** Looks at what a mission goes by: its runs, and its repositories. Remembers runs that have not moved. */
export class MissionLooks {
  readonly #ports: Ports;
  readonly #known = new Map<string, Known>();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** `all`: also the runs that retries would be given. */
  async children(state: MissionState, now: number): Promise<Map<string, WorkFact>> {
    const found = new Map<string, WorkFact>();
    const next = workstreamsOf(state).map((one) => workstreamRunId(state.name, one));
    for (const run of [...watchedRuns(state).map((one) => one.run), ...next]) {
      const fact = await this.#child(state, run, now);
      if (fact !== null) found.set(run, fact);
    }
    return found;
  }

  /** A run is folded again only when it has moved, or was asked something else. */
  async #child(state: MissionState, run: string, now: number): Promise<WorkFact | null> {
    const { journal } = this.#ports;
    const head = await journal.head(run);
    if (head === null) return null;
    const one = workstreamsOf(state).find(({ runs }) => runs.some((other) => other.run === run));
    const asked = one?.asked ?? null;
    const known = this.#known.get(run);
    if (known?.seq === head.seq && known.asked === (asked?.seq ?? null)) return known.fact;
    const loaded = await openRun(journal, run);
    if (loaded === null) return null;
    const work = one === undefined ? null : await this.#workOf(state, one, laidDown(loaded.state));
    const events =
      asked === null ? [] : await journal.read(run, { after: asked.after, limit: ANSWER_EVENTS_MAX });
    const answered = answeredIn(events, acceptRequestId(run, asked?.seq ?? 0));
    const fact = workFact(loaded.state, { now, work, answered });
    this.#known.set(run, { seq: loaded.state.seq, asked: asked?.seq ?? null, fact });
    return fact;
  }

  async #workOf(
    state: MissionState,
    { goal, work }: WorkstreamState,
    laid: ReturnType<typeof laidDown>,
  ): Promise<FinishedWork | null> {
    if (laid === null) return null;
    const declared = new Set([...goal.artifacts, ...(goal.decisions === undefined ? [] : [goal.decisions])]);
    const artifacts = laid.artifacts.filter(({ path }) => declared.has(path));
    const textOf = async (path: string | undefined): Promise<string | null> => {
      const found = artifacts.find((artifact) => artifact.path === path);
      const bytes = found === undefined ? null : await this.#ports.artifacts.read(found.digest);
      return bytes === null ? null : new TextDecoder().decode(bytes);
    };
    const values: Record<string, unknown> = {};
    for (const { workstream, artifact, at } of Object.values(state.spec?.barriers ?? {}).flatMap(
      (barrier) => barrier.if,
    ))
      if (workstream === goal.id) values[`${artifact}#${at}`] = valueIn(await textOf(artifact), at);
    const decisions = (await textOf(goal.decisions))?.slice(0, DECISIONS_CHARS_MAX) ?? null;
    // Its worktree goes with its acceptance, and what it was begun on is known from before.
    return { commit: laid.commit, from: laid.from ?? work?.from ?? null, artifacts, decisions, values };
  }

  /** The repositories of a mission, or the one named, and what taking its work in would do there. */
  async repositories(state: MissionState, only: string | null = null): Promise<Map<string, RepositoryFact>> {
    const others = await this.#others(state.name);
    const found = new Map<string, RepositoryFact>();
    for (const [name, { path, commit }] of Object.entries(state.spec?.repositories ?? {})) {
      if (only !== null && only !== name) continue;
      const here = toAccept(state).filter(({ goal }) => goal.repository === name);
      found.set(name, { ...(await this.#look(path, commit, here)), otherOwner: others.get(path) ?? null });
    }
    return found;
  }

  async #look(
    project: string,
    base: string,
    here: readonly WorkstreamState[],
  ): Promise<Omit<RepositoryFact, "otherOwner">> {
    const commits = here.map(({ work }) => work?.commit ?? "");
    const gone = { stand: null, dirty: [], keepsBase: false, work: {} };
    const seen = await this.#ports.repositories?.rehearse({ project, base, commits }).catch(() => null);
    if (seen?.kind !== "seen") return gone;
    const { branch, commit, dirty, keepsBase, steps } = seen;
    const work: Record<string, RehearsedWork> = {};
    for (const [at, { goal }] of here.entries()) {
      const step = steps[at];
      if (step !== undefined) work[goal.id] = { how: step.how, files: step.files };
    }
    return { stand: { branch, commit }, dirty, keepsBase, work };
  }

  /** Folders that other missions are at work in, by their names. */
  async #others(own: string): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const name of await listMissions(this.#ports.journal, OPEN_STATUSES)) {
      if (name === own) continue;
      const other = await readMission(this.#ports.journal, name);
      if (other.end !== null || other.stop !== null) continue;
      const accepts = other.acceptance === null ? [] : leftToAccept(other);
      const busy = [...workstreamsOf(other).filter(({ status }) => status === "issued"), ...accepts];
      for (const { goal } of busy) {
        const path = other.spec?.repositories[goal.repository]?.path;
        if (path !== undefined) found.set(path, `the mission ${name} (${goal.id})`);
      }
    }
    return found;
  }

  async all(state: MissionState): Promise<MissionFacts> {
    const now = this.#ports.world.now();
    return {
      now,
      children: await this.children(state, now),
      refused: new Map(),
      repositories: await this.repositories(state),
    };
  }
}

function valueIn(text: string | null, at: string): unknown {
  try {
    return text === null ? undefined : valueAtPointer(JSON.parse(text), at);
  } catch {
    // No JSON has no values: the barrier says what it found.
    return undefined;
  }
}
