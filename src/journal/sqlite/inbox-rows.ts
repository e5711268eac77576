import type { DatabaseSync } from "node:sqlite";
import type { InboxRow } from "../journal.ts";
import { mailBody, mailRow, type StoredMail } from "../mail-row.ts";
import { rowDamaged, sealOf } from "../seal.ts";
import { integer, text, type Row } from "./row-values.ts";
import { SQL } from "./statements.ts";

interface Mail extends StoredMail {
  readonly consumed: number;
}

const mailSeal = (mail: Mail): string => sealOf([mail.id, mail.address, mail.at, mail.consumed, mail.body]);

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
function sealOnceConsumed(row: Row): string {
  try {
    return mailSeal({ ...checkMail(row), consumed: 1 });
  } catch {
    return text(row, "seal");
  }
}

export interface InboxRows {
  /** Inside a transaction. */
  ask(row: InboxRow): "put" | "already";
  inbox(address: string): InboxRow[];
  addressesWithMail(): string[];
  /** Inside a transaction. Rows consumed before, or of another address, are left alone. */
  consume(address: string, ids: readonly string[]): void;
}

export function inboxRows(db: DatabaseSync): InboxRows {
  const insert = db.prepare(SQL.insertMail);
  const byId = db.prepare(SQL.mailById);
  const waiting = db.prepare(SQL.waitingMail);
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
    addressesWithMail: () => addresses.all().map((row) => text(row, "address")),
    consume(address, ids) {
      for (const id of ids) {
        const row = byId.get(id);
        if (row === undefined || row["address"] !== address || row["consumed"] !== 0) continue;
        consumed.run(sealOnceConsumed(row), id);
      }
    },
  };
}
