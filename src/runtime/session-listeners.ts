import type { AgentDriver, Finding, Listener, SessionRef, SignalBatch } from "../agents/agent-driver.ts";
import type { RunEvent } from "../model/events/events.ts";
import { cwdOf } from "../decide/workspace/workspace-place.ts";
import { errorText } from "../model/fault.ts";
import type { AttemptState, RunState } from "../model/state/run-state.ts";
import { livesInside } from "./supervisor/lives-inside.ts";
import type { Signal } from "../model/agent/signals.ts";
import type { Ports } from "./ports.ts";

/** Hands an event to the next turn; resolves when it is durable. */
export type Receive = (event: RunEvent) => Promise<void>;

const PROBE_AGAIN_MS = 1_000;

/**
 * Listens to every live session of one run, from where the journal stops.
 * Given the whole state after every append, it opens what is missing and closes what has ended (I3).
 * A session is looked for first: one that died with its supervisor is reported gone, an outliving one is adopted.
 */
export class SessionListeners {
  readonly #ports: Ports;
  readonly #receive: Receive;
  readonly #open = new Map<string, { close(): void }>();

  constructor(ports: Ports, receive: Receive) {
    this.#ports = ports;
    this.#receive = receive;
  }

  reconcile(state: RunState): void {
    for (const [id, ear] of this.#open) {
      if (Object.hasOwn(state.attempts, id)) continue;
      ear.close();
      this.#open.delete(id);
    }
    for (const attempt of Object.values(state.attempts)) {
      const spec = state.agents[attempt.agent];
      if (!attempt.started || attempt.exit !== null || this.#open.has(attempt.id) || spec === undefined)
        continue;
      const driver = this.#ports.drivers.get(spec.use);
      if (driver !== undefined)
        this.#listen(
          driver,
          { session: attempt.session, spec },
          { attempt, cwd: cwdOf(state, attempt.step) },
        );
    }
  }

  close(): void {
    for (const ear of this.#open.values()) ear.close();
    this.#open.clear();
  }

  /** Whether the host had run out of room is known only now, and is part of how an agent ended. */
  #withHost(signal: Signal, cwd: string): Signal {
    if (signal.kind !== "exit" || (this.#ports.fullDisks?.([cwd]) ?? []).length === 0) return signal;
    return { ...signal, fault: "disk" };
  }

  #listen(
    driver: AgentDriver,
    session: SessionRef,
    { attempt: { id, cursor, adoptedAt }, cwd }: { readonly attempt: AttemptState; readonly cwd: string },
  ): void {
    let listener: Listener | null = null;
    let closed = false;
    this.#open.set(id, {
      close() {
        closed = true;
        listener?.close();
      },
    });
    const receive = async ({ signals, cursor: next, reached }: SignalBatch): Promise<void> => {
      if (reached !== undefined) await this.#receive({ type: "LimitReached", data: reached });
      if (signals.length === 0) return;
      await this.#receive({
        type: "SignalsHeard",
        data: { attempt: id, cursor: next, signals: signals.map((signal) => this.#withHost(signal, cwd)) },
      });
    };
    const look = async (): Promise<void> => {
      const finding = await driver.find(session);
      if (closed) return;
      if (finding.kind === "gone" && livesInside(driver, session.spec))
        return this.#receive({
          type: "SessionObserved",
          data: { attempt: id, finding: "gone", detail: finding.detail },
        });
      // By when it ended is known only now: what ends later ended under our eyes.
      if (adoptedAt !== null && wasCutShort(finding))
        await this.#receive({
          type: "SessionObserved",
          data: { attempt: id, finding: "ended", detail: finding.detail },
        });
      if (!closed) listener = driver.listen(session, cursor, receive);
    };
    const lookAgain = (error: unknown): void => {
      // Unknown is neither alive nor gone (I6): it is recorded, and looked for again.
      void this.#receive({
        type: "SessionObserved",
        data: { attempt: id, finding: "unknown", detail: errorText(error) },
      });
      this.#ports.world.timer(PROBE_AGAIN_MS, () => {
        if (!closed) look().catch(lookAgain);
      });
    };
    look().catch(lookAgain);
  }
}

/** Its end was nobody's decision that was recorded: it left no exit status, or was ended by a signal. */
const wasCutShort = (finding: Finding): boolean =>
  finding.kind === "gone" || (finding.kind === "over" && finding.cutShort === true);
