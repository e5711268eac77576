import { Fault } from "../../model/fault.ts";
import type { HandlerContext } from "./handler-context.ts";
import type { RequestBody } from "./request-body.ts";

/**
 * Who approves from afar says what they saw. The command line takes the digest of the moment in which it is called; a page
 * may have been open for an hour. Answers the run in full.
 */
export async function requireDigest(
  { operations: { findRun, loadRun } }: HandlerContext,
  text: string,
  body: RequestBody,
): Promise<string> {
  const run = await findRun(text);
  if (body.kind !== "approve" || body.digest !== undefined) return run;
  const blocked = (await loadRun(run))?.blocked;
  if (blocked?.digest === undefined || (body.gate !== undefined && body.gate !== blocked.gate)) return run;
  throw new Fault(
    "usage",
    "the approval names no digest; expected the digest of what was shown, as the inbox has it, so that nothing else is approved",
    { details: { run, gate: blocked.gate, command: `holdfast inbox` } },
  );
}
