import type { System } from "../../main.ts";
import { Fault } from "../../model/fault.ts";
import type { RunRequest } from "../../model/requests.ts";
import type { RunState } from "../../model/run-state.ts";

/** Who speaks: one attempt of one run, and no other. */
export interface Speaker {
  readonly run: string;
  readonly attempt: string;
  /** The run, if this speaker may speak in it now; throws the reason otherwise. */
  load(system: System): Promise<RunState>;
}

/** `admitted` tells why a speaker is no such attempt; null where its token says that it is. */
export const speakerOf = (
  { run, attempt }: { readonly run: string; readonly attempt: string },
  notAdmitted: string | null,
): Speaker => ({
  run,
  attempt,
  load: async (system) => {
    if (notAdmitted !== null) throw new Fault("refused", notAdmitted);
    const state = await system.loadRun(run);
    if (state === null) throw new Fault("not_found", `there is no run "${run}" in this store`);
    if (!isAtWork(state, attempt))
      throw new Fault(
        "refused",
        `${attempt} of ${run} is not at work any more; nothing more can be said for it`,
      );
    return state;
  },
});

/** One that is over speaks for nobody any more. */
const isAtWork = ({ attempts }: RunState, attempt: string): boolean =>
  attempts[attempt] !== undefined && attempts[attempt].ending === null;

const ANSWER_WAIT_MS = 30_000;

/** Puts an agent's word into the inbox of its run and waits for the answer. */
export async function say(system: System, speaker: Speaker, request: RunRequest): Promise<string> {
  await speaker.load(system);
  const { run, attempt } = speaker;
  const by = `agent ${attempt}`;
  const outcome = await system.requests.ask(run, request, { by, waitMs: ANSWER_WAIT_MS });
  if (outcome.kind === "queued") return "stored; it is taken up as soon as the run is worked";
  if (outcome.answer.kind === "refused") throw new Fault("refused", outcome.answer.text);
  return outcome.answer.text;
}
