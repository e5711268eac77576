import {
  answerContinuous,
  type ContinuousAnswer,
  type ContinuousAsker,
  type ContinuousRequest,
} from "../../decide/continuous/ask-continuous.ts";
import { continuousAddress } from "../../model/continuous/continuous-spec.ts";
import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import type { Leases } from "../leases.ts";
import type { Ports } from "../ports.ts";
import { listContinuous, loadContinuous, openContinuous, readContinuous } from "./read-continuous.ts";
import { underLease } from "./shared-journal.ts";
import { writeContinuous } from "./write-continuous.ts";

/** An answer, and how the session stands after it. */
interface AnsweredContinuous {
  readonly answer: ContinuousAnswer;
  readonly state: ContinuousState;
}

/**
 * What people ask of continuous sessions.
 *
 * On disk: one append to the session's own journal (decisions 0021, 0058), with or without a supervisor. A kill before
 * it changes nothing; after it every supervisor finds it. To ask twice is to ask once, since the answer follows from
 * what is recorded.
 */
export class ContinuousSwitch {
  readonly #ports: Pick<Ports, "journal" | "world">;
  readonly #leases: Leases;

  constructor(ports: Pick<Ports, "journal" | "world">, leases: Leases) {
    this.#ports = ports;
    this.#leases = leases;
  }

  /** Null where there is none of that name. */
  load(name: string): Promise<ContinuousState | null> {
    return loadContinuous(this.#ports.journal, name);
  }

  /** Of all sessions of the store, newest first. */
  names(): Promise<string[]> {
    return listContinuous(this.#ports.journal);
  }

  /** Of those that are not over. */
  open(): Promise<string[]> {
    return openContinuous(this.#ports.journal);
  }

  ask(name: string, request: ContinuousRequest, asker: ContinuousAsker): Promise<AnsweredContinuous> {
    const held = { leases: this.#leases, address: continuousAddress(name), what: `the session "${name}"` };
    return underLease(this.#ports, held, (epoch) => this.#answer(name, request, { asker, epoch }));
  }

  async #answer(
    name: string,
    request: ContinuousRequest,
    { asker, epoch }: { readonly asker: ContinuousAsker; readonly epoch: number },
  ): Promise<AnsweredContinuous | null> {
    const state = await readContinuous(this.#ports.journal, name);
    const answer = answerContinuous(state, request, asker);
    if (answer.kind === "refused" || answer.events.length === 0) return { answer, state };
    const at = this.#ports.world.now();
    const after = await writeContinuous(this.#ports, state, { events: answer.events, epoch, at });
    return after === null ? null : { answer, state: after };
  }
}
