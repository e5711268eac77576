import type { EndOutcome, SessionRef } from "../../agents/agent-driver.ts";
import { Fault, type FaultCode } from "../../model/fault.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { Ports } from "../ports.ts";

const GONE: FaultCode = "store_gone";
const GRACE_MS = 10_000;

/**
 * Sessions whose store is gone: nothing of them can be recorded any more, and no later supervisor finds them. They are
 * the only ones that are ended without an intent on disk, since there is no disk to put it on: politely, then firmly.
 */
export class Orphans {
  readonly #ports: Ports;
  readonly #sessions = new Map<string, SessionRef>();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Remembers what lives of the runs that were owned when the store went; nothing for any other fault. */
  note(
    fault: Fault,
    owned: Iterable<{ readonly owner: { readonly state: Readonly<RunState> } | null }>,
  ): void {
    if (fault.code !== GONE) return;
    for (const { owner } of owned)
      for (const { agent, session } of Object.values(owner?.state.attempts ?? {})) {
        const spec = owner?.state.agents[agent];
        if (spec !== undefined) this.#sessions.set(session, { session, spec });
      }
  }

  /** Ends them, and answers the fault that says so. */
  async endFor(fault: Fault): Promise<Fault> {
    if (fault.code !== GONE) return fault;
    const left: string[] = [];
    const ends = this.#ends(fault);
    await Promise.all(
      [...ends].map(async ([session, end]) => {
        const outcome = await end();
        if (outcome?.kind === "failed") left.push(`${session}: ${outcome.text}`);
      }),
    );
    const count = ends.size;
    const ended = `${String(count - left.length)} of ${String(count)} sessions were ended`;
    const text = [`${fault.message}; ${ended}`, ...left].join("; ");
    return new Fault(GONE, text, { retry: fault.retry, cause: fault.cause, details: fault.details });
  }

  /**
   * A store that was deleted took everything along that says whose sessions there are: all that bear its mark are ended.
   * One that was replaced may have sessions of its own by now, under the same mark.
   */
  #ends(fault: Fault): Map<string, () => Promise<EndOutcome | undefined>> {
    const { drivers, sessionsHere } = this.#ports;
    const living = fault.details["what"] === "deleted" ? sessionsHere?.living() : undefined;
    const known = [...this.#sessions.values()].map(
      (ref) => [ref.session, async () => drivers.get(ref.spec.use)?.end(ref, GRACE_MS)] as const,
    );
    const found = (living === undefined || living === "unknown" ? [] : living).map(
      ({ session }) => [session, async () => sessionsHere?.end(session, GRACE_MS)] as const,
    );
    return new Map([...found, ...known]);
  }
}
