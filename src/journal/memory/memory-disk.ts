import { chainDamage } from "../chain-damage.ts";
import type { EncodedEvent, StoredEvent } from "../chain.ts";
import type {
  Damage,
  Head,
  InboxRow,
  ListingUpdate,
  MailText,
  Owner,
  Sighting,
  Snapshot,
} from "../journal.ts";
import { blobDamage, placesIn } from "../large-values.ts";

/** What outlives a handle: several journals opened on one disk see each other, as processes on one file do. */
export interface MemoryDisk {
  readonly runs: Map<string, MemoryRun>;
  readonly leases: Map<string, { readonly epoch: number; readonly owner: Owner | null }>;
  /** Owners are known only while they hold a lease, so that their number stays bounded. */
  readonly owners: Map<string, MemoryOwner>;
  /** Waiting requests by id, in order of arrival. */
  readonly inbox: Map<string, MemoryMail>;
  /** Ids ever asked, with whom: a repeated question is known even after it was consumed. */
  readonly asked: Map<string, string>;
  /** Large values by digest. */
  readonly blobs: Map<string, string>;
  readonly blobsOfRun: Map<string, Set<string>>;
  readonly watchers: Set<() => void>;
  /** How many events were ever written. */
  eventsWritten: number;
}

export interface MemoryRun {
  readonly events: StoredEvent[];
  readonly createdAt: number;
  /** Anchors the tail: without it, lost last events would look like an end. */
  head: Head;
  updatedAt: number;
  listing: ListingUpdate;
  /** One of each version of the fold. */
  snapshots: readonly Snapshot[];
}

export interface MemoryOwner {
  beats: number;
  beatAt: number;
  leases: number;
  /** By observer. */
  readonly sightings: Map<string, Sighting>;
}

export interface MemoryMail {
  readonly address: string;
  /** JSON text: what the asker does with its object afterwards changes nothing here. */
  readonly text: string;
}

export const memoryDisk = (): MemoryDisk => ({
  runs: new Map(),
  leases: new Map(),
  owners: new Map(),
  inbox: new Map(),
  asked: new Map(),
  blobs: new Map(),
  blobsOfRun: new Map(),
  watchers: new Set(),
  eventsWritten: 0,
});

export function putBlobs(disk: MemoryDisk, run: string, events: readonly EncodedEvent[]): void {
  for (const { apart } of events)
    for (const { digest, text } of apart?.blobs ?? []) {
      disk.blobs.set(digest, text);
      const used = disk.blobsOfRun.get(run) ?? new Set<string>();
      disk.blobsOfRun.set(run, used.add(digest));
    }
}

/** Forgets what only this run named. */
export function forgetBlobs(disk: MemoryDisk, run: string): void {
  const used = disk.blobsOfRun.get(run) ?? new Set<string>();
  disk.blobsOfRun.delete(run);
  const others = [...disk.blobsOfRun.values()];
  for (const digest of used) if (!others.some((other) => other.has(digest))) disk.blobs.delete(digest);
}

export const memoryDamages = (disk: MemoryDisk): Damage[] =>
  [...disk.runs]
    .map(([run, { head, events }]) => chainDamage(run, head, events) ?? apartDamage(disk, run, events))
    .filter((found) => found !== null);

function apartDamage(disk: MemoryDisk, run: string, events: readonly StoredEvent[]): Damage | null {
  for (const { seq, data } of events)
    for (const { digest } of placesIn(data)) {
      const what = blobDamage(digest, disk.blobs.get(digest));
      if (what !== null) return { run, seq, what };
    }
  return null;
}

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
