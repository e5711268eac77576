import { errorText } from "../model/fault.ts";
import type { InboxRow } from "./journal.ts";

/** A row of the inbox as a store keeps it. */
export interface StoredMail {
  readonly id: string;
  readonly address: string;
  readonly at: number;
  /** JSON text of what was asked and by whom. */
  readonly body: string;
}

/** What is kept of a consumed request besides its id: what was asked is in the journal by then, without secrets. */
export const CONSUMED_BODY = "{}";

/** The JSON text of what is asked, by whom, and with which proof. */
export const mailBody = ({ request, by, principal, proof }: InboxRow): string =>
  JSON.stringify({ request, by, principal, proof });

/**
 * Reads a row of the inbox. Anybody may write there, so one that cannot be read is never an error: it is handed over
 * with the reason, for the owner of the run to refuse.
 */
export function mailRow(id: string, address: string, read: () => StoredMail): InboxRow {
  try {
    const { at, body } = read();
    const said: unknown = JSON.parse(body);
    if (typeof said !== "object" || said === null) return damaged(id, address, "its text is no JSON object");
    if (!("by" in said) || typeof said.by !== "string")
      return damaged(id, address, "it does not say who asks");
    return {
      id,
      address,
      at,
      by: said.by,
      request: ("request" in said ? said.request : null) as InboxRow["request"],
      ...("principal" in said ? { principal: said.principal } : {}),
      ...("proof" in said ? { proof: said.proof } : {}),
    };
  } catch (error) {
    return damaged(id, address, errorText(error));
  }
}

const damaged = (id: string, address: string, why: string): InboxRow => ({
  id,
  address,
  at: 0,
  by: "unknown",
  // Nobody looks at it: what is damaged is refused before.
  request: null as unknown as InboxRow["request"],
  damaged: why,
});
