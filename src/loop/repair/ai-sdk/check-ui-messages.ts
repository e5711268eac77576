import { asText, isRecord, recordsOf } from "../json-values.ts";
import { ProblemList, type Problem } from "../problem.ts";

/** The rules of the AI SDK's UI messages: every call has an outcome, or waits for a person, or for its provider. */
export function checkUiMessages(messages: readonly unknown[]): readonly Problem[] {
  const list = new ProblemList();
  for (const [at, message] of messages.entries()) {
    if (!isRecord(message) || !Array.isArray(message["parts"])) {
      list.add("not-a-message", at);
      continue;
    }
    const parts = recordsOf(message["parts"]);
    if (parts.every((part) => part["type"] === "step-start")) list.add("empty-content", at);
    const ids = new Set<unknown>();
    for (const part of parts.filter((one) => /^(tool-|dynamic-tool$)/.test(asText(one["type"])))) {
      const { toolCallId: id, state } = part;
      if (ids.has(id)) list.add("call-id-taken", at, id);
      ids.add(id);
      const settled = asText(state).startsWith("output-") || state === "approval-requested";
      const theirs = part["providerExecuted"] === true && state !== "input-streaming";
      if (!settled && !theirs) list.add("call-unanswered", at, id);
    }
  }
  return list.problems;
}
