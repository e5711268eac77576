import { asFault } from "../../model/fault.ts";
import { faultProblem } from "../server/problem.ts";
import type { HandlerAnswer } from "./define-route.ts";
import type { HandlerContext } from "./handler-context.ts";
import { performCommand } from "./perform-command.ts";
import { requestWords, type RequestBody } from "./request-body.ts";
import { requireDigest } from "./require-digest.ts";

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
