import type { InboxRow, Journal, SupervisorRequest } from "../../journal/journal.ts";

/** The order to end in a row for a supervisor or its sibling. Anybody may write there: anything else is no order. */
export function shutdownIn({ request, damaged }: InboxRow): SupervisorRequest | null {
  const said: unknown = request;
  if (damaged !== undefined || typeof said !== "object" || said === null) return null;
  if (!("kind" in said) || said.kind !== "shutdown") return null;
  return { kind: "shutdown", stopAgents: "stopAgents" in said && said.stopAgents === true };
}

/** Takes all mail of a supervisor; answers the first order to end in it. */
export async function readShutdown(journal: Journal, address: string): Promise<SupervisorRequest | null> {
  let shutdown: SupervisorRequest | null = null;
  for (const row of await journal.inbox(address)) {
    await journal.consume(address, [row.id]);
    shutdown ??= shutdownIn(row);
  }
  return shutdown;
}
