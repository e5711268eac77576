import type { Recorded } from "../../model/events/events.ts";
import type { MissionArtifact } from "../../model/mission/mission-events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { childFact } from "../continuous/child-fact.ts";
import type { WorkFact } from "./mission-facts.ts";

/** What a completed run has come to, without the content of its files. */
export interface LaidDown {
  readonly commit: string | null;
  readonly from: string | null;
  readonly artifacts: readonly MissionArtifact[];
}

/** Null while something is to be committed still, and where the run is not completed. */
export function laidDown({ status, workspace, artifacts }: RunState): LaidDown | null {
  const { commit, worktree } = workspace;
  if (status !== "completed" || commit.owed.length > 0 || commit.due || commit.wanted !== null) return null;
  const from = worktree?.from ?? null;
  const last = commit.last?.commit ?? null;
  return {
    commit: last === from ? null : last,
    from,
    artifacts: Object.values(artifacts)
      .flat()
      .map(({ path, digest, bytes }) => ({ path, digest, bytes })),
  };
}

type Answered = Pick<WorkFact, "accepted" | "refusal">;

/** What became of an acceptance, by the events since it was asked for. */
export function answeredIn(events: readonly Recorded[], request: string): Answered {
  let answered: Answered = { accepted: null, refusal: null };
  for (const { type, data } of events) {
    if (type === "WorkAccepted") {
      const { commit, into, how } = data;
      answered = { accepted: { commit, into, how }, refusal: null };
    }
    if (type === "AcceptRefused" || type === "CommitRefused") answered = { ...answered, refusal: data.why };
    if (type === "RequestAnswered" && data.requestId === request && data.answer.kind === "refused")
      answered = { ...answered, refusal: data.answer.text };
  }
  return answered;
}

/** The id of the request by which a run is asked to have its work taken in: it follows from the event that wants it. */
export const acceptRequestId = (run: string, seq: number): string => `${run}.accept.${String(seq)}`;

export const workFact = (
  state: RunState,
  {
    now,
    work,
    answered,
  }: { readonly now: number; readonly work: WorkFact["work"]; readonly answered: Answered },
): WorkFact => ({
  ...childFact(state, [], { now, isPlan: false }),
  ghost: null,
  seq: state.seq,
  work,
  ...answered,
});
