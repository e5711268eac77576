import type { DatabaseSync } from "node:sqlite";
import type { InboxRow, MailText } from "../../journal.ts";
import { CONSUMED_BODY, mailBody, mailRow, type StoredMail } from "../../mail-row.ts";
import { rowDamaged, sealOf } from "../../seal.ts";
import { integer, text, type Row } from "./row-values.ts";
import { REWRITE_SQL, SQL } from "../statements.ts";

interface Mail extends StoredMail {
  readonly consumed: number;
}

export const mailSeal = (mail: Mail): string =>
  sealOf([mail.id, mail.address, mail.at, mail.consumed, mail.body]);

export function checkMail(row: Row): Mail {
  const mail = {
    id: text(row, "id"),
    address: text(row, "address"),
    at: integer(row, "at"),
    consumed: integer(row, "consumed"),
    body: text(row, "body"),
  };
  if (row["seal"] !== mailSeal(mail)) throw rowDamaged("inbox", mail.id, "does not match its seal");
  return mail;
}

const inboxRow = (row: Row): InboxRow => mailRow(text(row, "id"), text(row, "address"), () => checkMail(row));

/** One that is damaged keeps its wrong seal, so that `verify` finds it. */
function onceConsumed(row: Row): [body: string, seal: string] {
  try {
    return [CONSUMED_BODY, mailSeal({ ...checkMail(row), consumed: 1, body: CONSUMED_BODY })];
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
      const seal = mailSeal({ id, address, at, consumed: 0, body });
      return insert.run(id, address, at, seal, body).changes === 1 ? "put" : "already";
    },
    inbox: (address) => waiting.all(address).map((row) => inboxRow(row)),
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
