import type { InboxRow, MailText } from "../journal.ts";
import type { MemoryDisk } from "./memory-disk.ts";

export function putMail(disk: MemoryDisk, row: InboxRow): void {
  disk.asked.set(row.id, row.address);
  disk.inbox.set(row.id, { address: row.address, text: JSON.stringify(row) });
}

export function waitingMail(disk: MemoryDisk, address: string): InboxRow[] {
  return [...disk.inbox.values()]
    .filter((mail) => mail.address === address)
    .map((mail) => JSON.parse(mail.text) as InboxRow);
}

export const mailTexts = (disk: MemoryDisk, address: string): MailText[] =>
  [...disk.inbox]
    .filter(([, mail]) => mail.address === address)
    .map(([id, mail]) => ({ id, body: mail.text }));

/** Forgets every question ever asked of an address. */
export function forgetMail(disk: MemoryDisk, address: string): void {
  for (const [id, asked] of disk.asked) if (asked === address) disk.asked.delete(id);
}

export const addressesWithMail = (disk: MemoryDisk): string[] =>
  [...new Set([...disk.inbox.values()].map((mail) => mail.address))].sort();

export function consumeMail(disk: MemoryDisk, address: string, requestIds: readonly string[]): void {
  for (const id of requestIds) if (disk.inbox.get(id)?.address === address) disk.inbox.delete(id);
}
