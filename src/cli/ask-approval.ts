import { userInfo } from "node:os";
import type { RunRequest } from "../model/requests.ts";
import { askRun } from "./ask-run.ts";
import { findRun } from "./find-run.ts";
import type { Invocation } from "./invocation.ts";

type Answer = Extract<RunRequest, { kind: "approve" | "reject" }>;

/**
 * Answers what a run waits for at this moment. The gate and the digest that it waits with now go along: whatever it
 * asks by the time it hears the answer, nothing else is approved.
 */
export async function askApproval(call: Invocation, text: string, answer: Answer): Promise<number> {
  const waits = await call.withSystem("empty", async (system) => {
    const state = await system.loadRun(await findRun(system.rooms.journal, text));
    return state?.blocked ?? null;
  });
  const { gate, digest } = waits ?? {};
  const isThis = answer.gate === undefined || answer.gate === gate;
  const shown =
    answer.kind === "approve" && digest !== undefined && isThis ? { digest, ...answer } : { ...answer };
  const asked = gate === undefined || !isThis ? shown : { ...shown, gate };
  return askRun(call, text, { ...asked, who: whoAsks(call) });
}

/** Agents are told apart from people by what their environment says; see docs/gates.md for how far that goes. */
function whoAsks({ surroundings: { env } }: Invocation): string {
  const attempt = env["HOLDFAST_ATTEMPT"];
  if (attempt !== undefined && attempt !== "") return `agent:${attempt}`;
  try {
    return userInfo().username;
  } catch {
    // A user without a name in the system's list is known by number alone.
    return env["USER"] ?? "cli";
  }
}
