import { sessionKey } from "../../model/ids.ts";
import type { StartOrder } from "../agent-driver.ts";
import { sessionFolder } from "../keeper/session-folder.ts";
import { spoolTail } from "../keeper/spool/spool-tail.ts";
import { totalInLedger } from "../meters/file-meter.ts";
import { NO_TOKENS, type HeadlessAgent, type TokenCount } from "./headless-agent.ts";
import { parseJson } from "./json-fields.ts";

export interface Written {
  /** Where the spools of earlier attempts are. */
  readonly sessions: string;
  /** Where the agent keeps its conversations. */
  readonly ledger?: string | undefined;
}

/**
 * What a conversation had used up when its last session ended, so that a resumed session can be charged for what it
 * adds. Determined by what the agent has written down, and by the spools of the step's earlier attempts, of which a
 * killed one shows no total; where there is neither (another host), nothing is taken off, and the budget ends sooner
 * rather than later.
 */
export async function usedBefore(
  agent: HeadlessAgent,
  written: Written,
  order: StartOrder,
): Promise<TokenCount> {
  const { totalOf } = agent;
  if (totalOf === undefined || order.resume === undefined) return NO_TOKENS;
  const ledger = written.ledger === undefined ? undefined : agent.ledger?.open(written.ledger);
  const noted = ledger === undefined ? undefined : totalInLedger(ledger, order.resume);
  if (noted !== undefined)
    return { tokensIn: noted.tokensIn, cachedIn: noted.cachedIn, tokensOut: noted.tokensOut };
  for (let number = order.number - 1; number > 0; number -= 1) {
    const session = sessionKey(order.run, order.step, number);
    const total = await lastTotal(totalOf, written.sessions, session, order.resume);
    if (total !== undefined) return total;
  }
  return NO_TOKENS;
}

async function lastTotal(
  totalOf: NonNullable<HeadlessAgent["totalOf"]>,
  sessions: string,
  session: string,
  conversation: string,
): Promise<TokenCount | undefined> {
  const tail = spoolTail(sessionFolder(sessions, session), ["out"]);
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
    // There may be much to read, and others want to go on meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
