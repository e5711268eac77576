import type { RunEvent } from "../../model/events/events.ts";
import { isFault } from "../../model/fault.ts";
import type { Leases } from "../leases.ts";
import type { SharedWrite } from "./write-shared.ts";

/**
 * Looks at each of the journals in turn. One that is damaged concerns itself alone: `onDamaged` stands for its answer, and
 * `verify` and `status` name it.
 */
export async function lookAtEach<Answer>(
  names: readonly string[],
  lookAt: (name: string) => Promise<Answer>,
  onDamaged: Answer,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const name of names)
    answers.push(
      await lookAt(name).catch((fault: unknown) => {
        if (!isFault(fault, "journal_damaged") && !isFault(fault, "event_unknown")) throw fault;
        return onDamaged;
      }),
    );
  return answers;
}

interface SharedTurn<State> {
  readonly address: string;
  readonly before: State;
  readonly at: number;
  readonly read: () => Promise<State>;
  /** What follows from the state, which it may change. */
  readonly decide: (state: State) => readonly RunEvent[];
  readonly write: (write: SharedWrite) => Promise<State | null>;
  /** What the recorded state asks to be done outside of the journal. */
  readonly perform: (after: State) => Promise<void>;
}

/**
 * Decides, records and performs under the lease of a journal: nobody stops the session or mission between the decision
 * and what follows from it. False where another process holds the lease, or wrote since the state was read.
 */
export async function turnUnderLease<State extends { readonly seq: number }>(
  leases: Leases,
  { address, before, at, read, decide, write, perform }: SharedTurn<State>,
): Promise<boolean> {
  const taken = await leases.take(address);
  if (taken.kind === "held") return false;
  try {
    if ((await read()).seq !== before.seq) return false;
    const state = structuredClone(before);
    const events = decide(state);
    const after = events.length === 0 ? state : await write({ events, epoch: taken.epoch, at });
    if (after === null) return false;
    await perform(after);
    return true;
  } finally {
    await leases.release(address, taken.epoch);
  }
}
