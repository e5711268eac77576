import type { Journal } from "../journal/journal.ts";
import { isEnded } from "../model/state/run-status.ts";
import type { Leases } from "../runtime/leases.ts";
import { openRun } from "../runtime/load-run.ts";
import { askedReopen } from "./life/owned-run.ts";
import type { AnyBody } from "./workflow-function.ts";
import type { PinnedBody, RegisteredBodies } from "./registered-programs.ts";

export interface ResumableRun {
  readonly run: string;
  readonly name: string;
  readonly body: AnyBody;
}

interface FindingRooms {
  readonly journal: Journal;
  readonly leases: Leases;
  readonly bodies: RegisteredBodies;
}

/** Runs whose function was looked up; forgetting them costs another look. */
const KNOWN_MAX = 10_000;

/** Finds runs that nobody works and whose function is registered here, the oldest first. */
export class ResumableRuns {
  readonly #ports: FindingRooms;
  /** What a run was begun with never changes; null for one of agents. */
  readonly #known = new Map<string, PinnedBody | null>();

  constructor(ports: FindingRooms) {
    this.#ports = ports;
  }

  /** `isWanted` is asked before anything costly is done for a run. */
  async *find(isWanted: (run: string) => boolean): AsyncGenerator<ResumableRun, void, undefined> {
    const { journal, leases, bodies } = this.#ports;
    const mail = new Set(await journal.addressesWithMail());
    for (const { run, status } of (await journal.runs()).toReversed()) {
      if (!isWanted(run)) continue;
      if (isEnded(status) && !(mail.has(run) && (await this.#isAskedAgain(run)))) continue;
      const pinned = await this.#pinned(run);
      if (pinned === null) continue;
      const name = pinned.name ?? run;
      const body = bodies.find({ ...pinned, name });
      if (body === undefined || (await leases.isHeld(run))) continue;
      yield { run, name, body };
    }
  }

  async #isAskedAgain(run: string): Promise<boolean> {
    const { journal } = this.#ports;
    const state = (await openRun(journal, run))?.state ?? null;
    return state !== null && (await askedReopen(journal, state)) !== null;
  }

  async #pinned(run: string): Promise<PinnedBody | null> {
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
