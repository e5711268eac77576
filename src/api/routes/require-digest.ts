import { Fault } from "../../model/fault.ts";
import type { HandlerContext } from "./handler-context.ts";
import { AT_HAND } from "./perform-command.ts";
import type { RequestBody } from "./request-body.ts";

/**
 * Who approves from afar says what they saw. The command line takes the digest of the moment in which it is called; a page
 * may have been open for an hour. Answers the run in full.
 */
export async function requireDigest(
  { operations: { findRun, loadRun }, once }: HandlerContext,
  text: string,
  body: RequestBody,
): Promise<string> {
  // The command says which run it is for, or asks.
  if (text === AT_HAND && body.kind !== "approve") return text;
  const run = await findRun(text);
  // What is asked again may have been approved meanwhile: what the run waits for now is another question.
  if (body.kind !== "approve" || body.digest !== undefined || once.isRepeated) return run;
  const blocked = (await loadRun(run))?.blocked;
  if (blocked?.digest === undefined || (body.gate !== undefined && body.gate !== blocked.gate)) return run;
  throw new Fault(
    "usage",
    "the approval names no digest; expected the digest of what was shown, as the inbox has it, so that nothing else is approved",
    { details: { run, gate: blocked.gate, command: `holdfast inbox` } },
  );
}
