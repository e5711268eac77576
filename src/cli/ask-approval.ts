import type { RunRequest } from "../model/requests.ts";
import { askRun } from "./ask-run.ts";
import { findRun } from "./find-run.ts";
import type { Invocation } from "./invocation.ts";
import { whoAsks } from "./who-asks.ts";

type Answer = Extract<RunRequest, { kind: "approve" | "reject" }>;

/**
 * Answers what a run waits for at this moment. The question, its gate and its digest go along: whatever it asks by the
 * time it hears the answer, nothing else is answered.
 */
export async function askApproval(call: Invocation, text: string, answer: Answer): Promise<number> {
  const waits = await call.withSystem("empty", async (system) => {
    const state = await system.loadRun(await findRun(system.rooms.journal, text));
    const [escalation] = Object.keys(state?.escalations ?? {});
    return { ...state?.blocked, escalation };
  });
  const { gate, digest, escalation } = waits;
  const isThis = answer.gate === undefined || answer.gate === gate;
  const shown =
    answer.kind === "approve" && digest !== undefined && isThis ? { digest, ...answer } : { ...answer };
  const asked = gate === undefined || !isThis ? shown : { ...shown, gate };
  // Who names a gate means that gate, whatever is asked.
  const question = escalation === undefined || !isThis ? {} : { escalation };
  return askRun(call, text, { ...question, ...asked, who: whoAsks(call) });
}
