import type { Journal } from "../journal/journal.ts";
import { isEnded } from "../model/state/run-status.ts";
import type { Leases } from "../runtime/leases.ts";
import { openRun } from "../runtime/load-run.ts";
import { askedReopen } from "./life/owned-run.ts";
import type { AnyWorkflow } from "./workflow-function.ts";
import type { PinnedProgram, RegisteredPrograms } from "./registered-programs.ts";

export interface ResumableRun {
  readonly run: string;
  readonly name: string;
  readonly workflow: AnyWorkflow;
}

interface FindingPorts {
  readonly journal: Journal;
  readonly leases: Leases;
  readonly programs: RegisteredPrograms;
}

/** Runs whose function was looked up; forgetting them costs another look. */
const KNOWN_MAX = 10_000;

/** Finds runs that nobody works and whose function is registered here, the oldest first. */
export class ResumableRuns {
  readonly #ports: FindingPorts;
  /** What a run was begun with never changes; null for one of agents. */
  readonly #known = new Map<string, PinnedProgram | null>();

  constructor(ports: FindingPorts) {
    this.#ports = ports;
  }

  /** `isWanted` is asked before anything costly is done for a run. */
  async *find(isWanted: (run: string) => boolean): AsyncGenerator<ResumableRun, void, undefined> {
    const { journal, leases, programs } = this.#ports;
    const mail = new Set(await journal.addressesWithMail());
    for (const { run, status } of (await journal.runs()).toReversed()) {
      if (!isWanted(run)) continue;
      if (isEnded(status) && !(mail.has(run) && (await this.#isAskedAgain(run)))) continue;
      const pinned = await this.#pinned(run);
      if (pinned === null) continue;
      const name = pinned.name ?? run;
      const workflow = programs.find({ ...pinned, name });
      if (workflow === undefined || (await leases.isHeld(run))) continue;
      yield { run, name, workflow };
    }
  }

  async #isAskedAgain(run: string): Promise<boolean> {
    const { journal } = this.#ports;
    const state = (await openRun(journal, run))?.state ?? null;
    return state !== null && (await askedReopen(journal, state)) !== null;
  }

  async #pinned(run: string): Promise<PinnedProgram | null> {
    const known = this.#known.get(run);
    if (known !== undefined) return known;
    const [first] = await this.#ports.journal.read(run, { after: 0, limit: 1, leaveApart: true });
    const pinned =
      first?.type === "BodyCreated" ? { name: first.data.body, version: first.data.version } : null;
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(run, pinned);
    return pinned;
  }
}
