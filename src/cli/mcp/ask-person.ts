import { setTimeout as delay } from "node:timers/promises";
import type { System } from "../../main.ts";
import { say, type Speaker } from "./speaker.ts";

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
