import { recordAt } from "../../model/state/body-state.ts";
import { Fault } from "../../model/fault.ts";
import type { BodyLife } from "./body-life.ts";

const PAGE_EVENTS = 500;
const WAYS_OUT =
  'keep both ways with run.patched("NAME"), give up what is recorded with run.retired("NAME"), run the body as it was (define it with its version)';

/**
 * Blocks a run whose body asks for something else than what is recorded (I8), with the command that goes on from before the
 * difference. Nothing was done that the journal does not know: the next life of the body begins without the block.
 */
export async function blockDiverged(life: BodyLife, found: Fault): Promise<Fault> {
  const { run, state } = life;
  const key = String(found.details["key"]);
  const isKnown = state.body !== null && recordAt(state.body, key) !== undefined;
  const seq = isKnown ? await seqBefore(life, key) : state.seq;
  const detail = `${found.message}; ${WAYS_OUT}, or go on in a new run from before it: holdfast fork ${run} --at ${String(seq)}`;
  const blocked = {
    reason: "diverged",
    detail,
    step: key,
    seq,
    attemptKept: true,
    guidance: [],
  } as const;
  await life.commitJudged(() =>
    state.status === "running"
      ? [{ type: "RunBlocked", data: { blocked: { ...blocked, guidance: [] } } }]
      : [],
  );
  return new Fault("diverged", detail, { retry: found.retry, details: { ...found.details, seq } });
}

/** The last event before the first one that speaks of that key. */
async function seqBefore(life: BodyLife, key: string): Promise<number> {
  for (let after = 0; ;) {
    const events = await life.read({ after, limit: PAGE_EVENTS, leaveApart: true });
    const found = events.find(({ data }) => "key" in data && data.key === key);
    if (found !== undefined) return found.seq - 1;
    if (events.length < PAGE_EVENTS) return life.state.seq;
    after = events.at(-1)?.seq ?? after;
  }
}
