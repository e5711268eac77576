import type { DatabaseSync } from "node:sqlite";
import type { InboxRow, MailText } from "../../journal.ts";
import { CONSUMED_BODY, mailBody } from "../../mail-row.ts";
import { text, type Row } from "../../row-values.ts";
import { sealed } from "./sealed.ts";
import { REWRITE_SQL, SQL } from "../statements.ts";

/** One that is damaged keeps its wrong seal, so that `verify` finds it. */
function onceConsumed(row: Row): [body: string, seal: string] {
  try {
    return [CONSUMED_BODY, sealed.mailSeal({ ...sealed.checkMail(row), consumed: 1, body: CONSUMED_BODY })];
  } catch {
    return [text(row, "body"), text(row, "seal")];
  }
}

export interface InboxRows {
  /** Inside a transaction. */
  ask(row: InboxRow): "put" | "already";
  inbox(address: string): InboxRow[];
  /** Of all requests of an address, consumed ones too. */
  texts(address: string): MailText[];
  addressesWithMail(): string[];
  /** Inside a transaction. Rows consumed before, or of another address, are left alone. */
  consume(address: string, ids: readonly string[]): void;
}

export function inboxRows(db: DatabaseSync): InboxRows {
  const insert = db.prepare(SQL.insertMail);
  const byId = db.prepare(SQL.mailById);
  const waiting = db.prepare(SQL.waitingMail);
  const all = db.prepare(REWRITE_SQL.allMail);
  const addresses = db.prepare(SQL.addressesWithMail);
  const consumed = db.prepare(SQL.consumeMail);
  return {
    ask(row) {
      const { id, address, at } = row;
      const body = mailBody(row);
      const seal = sealed.mailSeal({ id, address, at, consumed: 0, body });
      return insert.run(id, address, at, seal, body).changes === 1 ? "put" : "already";
    },
    inbox: (address) => waiting.all(address).map((row) => sealed.mailIn(row)),
    texts: (address) => all.all(address).map((row) => ({ id: text(row, "id"), body: text(row, "body") })),
    addressesWithMail: () => addresses.all().map((row) => text(row, "address")),
    consume(address, ids) {
      // What was there is written over with zeros, on its page and on those that it no longer needs.
      db.exec("PRAGMA secure_delete = ON");
      for (const id of ids) {
        const row = byId.get(id);
        if (row === undefined || row["address"] !== address || row["consumed"] !== 0) continue;
        consumed.run(...onceConsumed(row), id);
      }
      db.exec("PRAGMA secure_delete = OFF");
    },
  };
}
