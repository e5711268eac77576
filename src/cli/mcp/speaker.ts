import { setTimeout as delay } from "node:timers/promises";
import type { System } from "../../main.ts";
import { Fault } from "../../model/fault.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** Who speaks: one attempt of one run, and no other. */
export interface Speaker {
  readonly run: string;
  readonly attempt: string;
  /** The run, if this speaker may speak in it now; throws the reason otherwise. */
  load(system: System): Promise<RunState>;
}

/** `notAdmitted` shows why a speaker is no such attempt; null where its token says that it is. */
export function speakerOf(
  { run, attempt }: { readonly run: string; readonly attempt: string },
  notAdmitted: string | null,
): Speaker {
  let recorded = false;
  const load = async (system: System): Promise<RunState> => {
    const state = await system.loadRun(run);
    if (notAdmitted !== null) {
      if (state !== null && !recorded) await recordRefusal(system, { run, attempt }, notAdmitted);
      recorded = true;
      throw new Fault("refused", notAdmitted);
    }
    if (state === null) throw new Fault("not_found", `there is no run "${run}" in this store`);
    if (!isAtWork(state, attempt))
      throw new Fault(
        "refused",
        `${attempt} of ${run} is not at work any more; nothing more can be said for it`,
      );
    return state;
  };
  return { run, attempt, load };
}

/**
 * The one that speaks for an attempt without its token is written down in the journal of that run, once for each
 * server: as a report of no attempt, which the run's owner refuses like any other that is not at work.
 */
async function recordRefusal(
  system: System,
  { run, attempt }: { readonly run: string; readonly attempt: string },
  why: string,
): Promise<void> {
  const text = `a call of the tools of ${attempt} was refused: ${why}`;
  const request = { kind: "report", attempt: "unproven", say: "progress", text } as const;
  await system.requests.ask(run, request, { by: "unproven agent", waitMs: ANSWER_WAIT_MS });
}

/** One that is over speaks for nobody any more. */
const isAtWork = ({ attempts }: RunState, attempt: string): boolean =>
  attempts[attempt] !== undefined && attempts[attempt].ending === null;

const ANSWER_WAIT_MS = 30_000;

/** Puts an agent's word into the inbox of its run and waits for the answer. */
export async function say(system: System, speaker: Speaker, request: RunRequest): Promise<string> {
  await speaker.load(system);
  const { run, attempt } = speaker;
  const by = `agent ${attempt}`;
  const principal = { kind: "agent", name: `agent:${run}/${attempt}`, proof: "token", run, attempt } as const;
  const outcome = await system.requests.ask(run, request, { by, principal, waitMs: ANSWER_WAIT_MS });
  if (outcome.kind === "queued") return "stored; it is taken up as soon as the run is worked";
  if (outcome.answer.kind === "refused") throw new Fault("refused", outcome.answer.text);
  return outcome.answer.text;
}

/** Callers give up on a tool after a minute or so. */
const PERSON_WAIT_MS = 45_000;
const LOOK_EVERY_MS = 500;

/** The same question has one answer, however often it is asked. */
export async function askPerson(system: System, speaker: Speaker, question: string): Promise<string> {
  const { run, attempt } = speaker;
  const step = (await speaker.load(system)).attempts[attempt]?.step ?? "";
  let asked = false;
  for (const until = Date.now() + PERSON_WAIT_MS; Date.now() < until; await delay(LOOK_EVERY_MS)) {
    const answer = await answerTo(system, run, step, question);
    if (answer.kind === "answered") return answer.text;
    if (answer.kind === "none" && !asked)
      await say(system, speaker, { kind: "report", attempt, say: "question", text: question });
    asked = true;
  }
  return "nobody has answered yet; call ask_person again with the same question to go on waiting";
}

type Found = { readonly kind: "none" | "open" } | { readonly kind: "answered"; readonly text: string };

async function answerTo(system: System, run: string, step: string, question: string): Promise<Found> {
  let raised: string | null = null;
  let found: Found = { kind: "none" };
  for (let after = 0; ;) {
    const events = await system.ports.journal.read(run, { after, limit: 1_000 });
    for (const event of events)
      if (event.type === "EscalationRaised") {
        const { id, detail, step: about } = event.data.escalation;
        if (detail !== question || about !== step) continue;
        raised = id;
        found = { kind: "open" };
      } else if (event.type === "EscalationResolved" && event.data.id === raised) {
        const { note, how, by } = event.data;
        found = {
          kind: "answered",
          text: note ?? `no words were left by ${by}; the run ${how.replace("_", " ")}`,
        };
      }
    const last = events.at(-1);
    if (last === undefined) return found;
    after = last.seq;
  }
}
