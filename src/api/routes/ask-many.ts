import type { HandlerAnswer } from "./define-route.ts";
import type { HandlerContext } from "./handler-context.ts";
import { AT_HAND, performCommand } from "./perform-command.ts";
import { type RequestBody, requestWords } from "./request-body.ts";
import { faultProblem } from "../server/problem.ts";
import { asFault, Fault } from "../../model/fault.ts";

/** One after the other: each under a key of its own, so that asking again asks each of them once. */
export async function askMany(
  context: HandlerContext,
  runs: readonly string[],
  request: RequestBody,
): Promise<HandlerAnswer> {
  const answers: unknown[] = [];
  for (const [at, text] of runs.entries()) {
    try {
      const one = { ...context, columns: null, command: null, once: context.once.part(String(at)) };
      const run = await requireDigest(one, text, request);
      const answered = await performCommand(one, requestWords(run, request), { asks: run });
      answers.push({ run, status: 200, answer: answered.kind === "document" ? answered.document : {} });
    } catch (error) {
      const problem = faultProblem(asFault(error));
      answers.push({ run: text, status: problem.status, problem });
    }
  }
  return { kind: "document", document: { answers } };
}

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
