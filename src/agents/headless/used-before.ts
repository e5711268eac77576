import { sessionKey } from "../../model/ids.ts";
import type { StartOrder } from "../agent-driver.ts";
import { sessionFolder } from "../keeper/session-folder.ts";
import { spoolTail } from "../keeper/spool-tail.ts";
import { NO_TOKENS, type HeadlessAgent, type TokenCount } from "./headless-agent.ts";
import { parseJson } from "./json-fields.ts";

/**
 * What a conversation had used up when its last session told its total, so that a resumed session can be charged for
 * what it adds. Told by the spools of the step's earlier attempts; where they are not (another host), nothing is taken
 * off, and the budget ends sooner rather than later.
 */
export function usedBefore(agent: HeadlessAgent, sessions: string, order: StartOrder): TokenCount {
  const { totalOf } = agent;
  if (totalOf === undefined || order.resume === undefined) return NO_TOKENS;
  for (let number = order.number - 1; number > 0; number -= 1) {
    const total = lastTotal(totalOf, sessions, sessionKey(order.run, order.step, number), order.resume);
    if (total !== undefined) return total;
  }
  return NO_TOKENS;
}

function lastTotal(
  totalOf: NonNullable<HeadlessAgent["totalOf"]>,
  sessions: string,
  session: string,
  conversation: string,
): TokenCount | undefined {
  const tail = spoolTail(sessionFolder(sessions, session), ["out"], "", false);
  let total: TokenCount | undefined;
  let same = false;
  for (;;) {
    const lines = tail.next(undefined);
    if (typeof lines === "string") return same ? total : undefined;
    for (const { line } of lines) {
      same ||= line.text.includes(conversation);
      const event = parseJson(line.text);
      total = (event && totalOf(event)) ?? total;
    }
  }
}
