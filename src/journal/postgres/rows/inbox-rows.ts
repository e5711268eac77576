import type { InboxRow, MailText } from "../../journal.ts";
import { mailBody } from "../../mail-row.ts";
import { text } from "../../row-values.ts";
import type { Mail } from "../../sealed-rows.ts";
import type { Readers } from "../link/readers.ts";
import { checkText, sealed } from "./sealed.ts";
import { statement } from "../statements.ts";
import type { Writer } from "../append/writer.ts";

/** Taken when it is handed over, so that what the asker does with its object afterwards cannot change it. */
export const mailOf = (row: InboxRow): Mail => {
  const { id, address, at } = row;
  checkText(id, address);
  return { id, address, at, consumed: 0, body: mailBody(row) };
};

export interface InboxRows {
  ask(mail: Mail): Promise<"put" | "already">;
  inbox(address: string): Promise<InboxRow[]>;
  /** Of all requests of an address, consumed ones too. */
  texts(address: string): Promise<MailText[]>;
  addressesWithMail(): Promise<string[]>;
  /** Rows consumed before, or of another address, are left alone. */
  consume(address: string, ids: readonly string[]): Promise<void>;
}

export function inboxRows(readers: Readers, writer: Writer): InboxRows {
  /** Whether the row of this id is the one that was put: known by its content, or by its time once it was consumed. */
  const isThere = async (mail: Mail): Promise<boolean> => {
    const [row] = await readers.read(statement("mailById", mail.id));
    const found = row === undefined ? null : sealed.checkMail(row);
    if (found?.address !== mail.address || found.at !== mail.at) return false;
    return found.consumed === 1 || found.body === mail.body;
  };
  return {
    async ask(mail) {
      const values = [mail.id, mail.address, mail.at, sealed.mailSeal(mail), mail.body];
      const { rows, again } = await writer.run(() => statement("insertMail", ...values));
      return rows.length === 1 || (again && (await isThere(mail))) ? "put" : "already";
    },
    async inbox(address) {
      checkText(address);
      const rows = await readers.read(statement("waitingMail", address));
      return rows.map((row) => sealed.mailIn(row));
    },
    async texts(address) {
      checkText(address);
      const rows = await readers.read(statement("allMail", address));
      return rows.map((row) => ({ id: text(row, "id"), body: text(row, "body") }));
    },
    async addressesWithMail() {
      const rows = await readers.read(statement("addressesWithMail"));
      return rows.map((row) => text(row, "address"));
    },
    async consume(address, ids) {
      checkText(address, ...ids);
      await writer.run(() => statement("consumeMail", address, ids));
    },
  };
}
