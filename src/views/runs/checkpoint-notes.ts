import { isOver } from "../../model/state/step-over.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** What an agent noted of where its step stands. */
export interface CheckpointNoteView {
  readonly step: string;
  readonly attempt: string;
  readonly at: string;
  readonly done: string | null;
  readonly next: string | null;
  readonly questions: string | null;
}

/** The last note on each step that is not done. */
export const checkpointNotes = (state: RunState): CheckpointNoteView[] =>
  Object.values(state.steps).flatMap(({ spec, checkpoint, status }) =>
    checkpoint === null || isOver({ status })
      ? []
      : [
          {
            step: spec.name,
            attempt: checkpoint.attempt,
            at: isoTime(checkpoint.at),
            done: checkpoint.done ?? null,
            next: checkpoint.next ?? null,
            questions: checkpoint.questions ?? null,
          },
        ],
  );

export const checkpointText = ({ attempt, at, done, next, questions }: CheckpointNoteView): string =>
  [
    `${attempt} noted at ${at}`,
    ...(done === null ? [] : [`done: ${done}`]),
    ...(next === null ? [] : [`next: ${next}`]),
    ...(questions === null ? [] : [`open questions: ${questions}`]),
  ].join("; ");
