import { randomUUID } from "node:crypto";
import { isFault } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";
import { checkAppendOrder } from "../append-rules.ts";
import type { HostRecords } from "../host-records.ts";
import type { Journal } from "../journal.ts";
import { checkedTexts, decodeWhole, digestsIn, packEvents, withApart } from "../large-values.ts";
import { appendRows } from "./rows/append-rows.ts";
import { blobKeeping, blobTexts, hasBlobs } from "./rows/blob-rows.ts";
import { changePublisher } from "./link/change-publisher.ts";
import { changeWatch } from "./link/change-watch.ts";
import { batchCommitter, type Committed } from "./append/commit-batch.ts";
import { commitQueue, type CommitQueue } from "./append/commit-queue.ts";
import { connector, type Link } from "./link/link.ts";
import { eventRows, type EventRows, runRows } from "./rows/event-rows.ts";
import { headMemory, type HeadMemory } from "./append/head-memory.ts";
import { hostLock } from "./hosts/host-lock.ts";
import { hostRows } from "./hosts/host-rows.ts";
import { readServer } from "./hosts/read-server.ts";
import { inboxRows, mailOf } from "./rows/inbox-rows.ts";
import { leaseRows } from "./rows/lease-rows.ts";
import { patience, POSTGRES_TIMING, type PostgresTiming } from "./link/postgres-timing.ts";
import { offerRows } from "./placement/offer-rows.ts";
import { isStarting, toFault } from "./postgres-fault.ts";
import { storeReaders, type Readers } from "./link/readers.ts";
import { checkText } from "./rows/sealed.ts";
import { purgeStore } from "./rewrite/purge-store.ts";
import { runRemoval } from "./rewrite/run-removal.ts";
import { runRewriting } from "./rewrite/run-rewriting.ts";
import { snapshotRows } from "./rows/snapshot-rows.ts";
import { statement } from "./statements.ts";
import { channelOf, storeAddress } from "./link/store-address.ts";
import { prepareSchema } from "./store-schema.ts";
import { damagesOf } from "./verify-store.ts";
import { storeWriter, type ServerOptions, type Writer } from "./append/writer.ts";

export interface PostgresJournalOptions {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. */
  readonly url: string;
  readonly world: World;
  /** The store's own schema in the database. */
  readonly schema?: string;
  readonly timing?: Partial<PostgresTiming>;
  /** Values whose JSON is longer are kept apart, once each. */
  readonly largeChars?: number;
}

/**
 * The journal in a PostgreSQL database that any number of processes on any number of hosts may open.
 *
 * States: open → closed. Every change goes through the one commit queue and the one writing connection of this
 * handle; every read is a look at the database as it is now, no matter who wrote it. A server that goes away is waited
 * for and found again without anyone being informed, unless it stays away for `awayMs`.
 */
export async function openPostgresJournal(options: PostgresJournalOptions): Promise<Journal> {
  const { url, world, schema = "holdfast" } = options;
  const address = storeAddress(url, schema);
  const timing = { ...POSTGRES_TIMING, ...options.timing };
  const connect = connector(address, timing);
  const server = { connect, address, timing, world, leaving: { sinceMs: null } };
  let link: Link | null = null;
  try {
    link = await connectFirst(server);
    await prepareSchema(link, address);
    return journalOn(server, link, options.largeChars);
  } catch (error) {
    await link?.end();
    throw toFault(error, "opening", address);
  }
}

/** Someone who only just arrives is informed at once that nobody is there; a server that comes up is waited for. */
async function connectFirst({ connect, timing, world }: ServerOptions): Promise<Link> {
  const gaveUp = (cause: unknown): Error => cause as Error;
  const wait = patience({ timing: { ...timing, awayMs: timing.connectMs }, world, gaveUp });
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      if (!isStarting(error)) throw error;
      await wait.pause(error);
    }
  }
}

function journalOn(server: ServerOptions, first: Link, largeChars: number | undefined): Journal {
  const { connect, address, timing, world } = server;
  // Not from the world: two handles in worlds of their own must not take each other for themselves.
  const self = randomUUID();
  const channel = channelOf(address);
  const readers = storeReaders(server);
  const writer = storeWriter(server, first);
  const memory = headMemory();
  const events = eventRows(readers, memory);
  const changes = changeWatch({ connect, channel, self, timing, world });
  const teller = changePublisher(() => readers.send(statement("notify", channel, self)), timing);
  const committed = (how: Committed): void => {
    changes.notify();
    if (how !== "unseen") teller.changed(how);
  };
  const appendAll = appendRows({ writer, memory, address, head: (run) => events.head(run) });
  const queue = commitQueue(batchCommitter({ world, address, appendAll, committed }));
  const handle = { queue, readers, writer, memory, events, largeChars };
  const close = async (): Promise<void> => {
    await queue.close();
    await teller.close();
    await changes.close();
    await readers.close();
    await writer.close();
  };
  let closing: Promise<void> | null = null;
  return {
    ...runMethods(handle),
    ...inboxMethods(handle),
    ...leaseMethods(handle),
    hosts: hostMethods(handle, (order) => hostLock(address, timing, order)),
    server: reading(handle, () => readers.readTogether(readServer)),
    watch(changed) {
      queue.check();
      return changes.watch(changed);
    },
    verify: reading(handle, () => readers.readTogether(damagesOf)),
    // Its files are the server's.
    traces: reading(handle, () => Promise.resolve(null)),
    // Beside the queue: what is written meanwhile does not wait for it.
    purge: reading(handle, (what) => purgeStore(server, what)),
    leave() {
      server.leaving.sinceMs ??= performance.now();
    },
    close: () => (closing ??= close()),
  };
}

interface Handle {
  readonly queue: CommitQueue;
  readonly readers: Readers;
  readonly writer: Writer;
  readonly memory: HeadMemory;
  readonly events: EventRows;
  readonly largeChars: number | undefined;
}

/** A closed journal cannot be read either, from the moment it is asked to close. */
const reading =
  <Args extends unknown[], T>({ queue }: Handle, look: (...args: Args) => Promise<T>) =>
  async (...args: Args): Promise<T> => {
    queue.check();
    return look(...args);
  };

type RunMethods = Pick<
  Journal,
  | "append"
  | "read"
  | "readApart"
  | "readStored"
  | "head"
  | "runs"
  | "saveSnapshot"
  | "loadSnapshot"
  | "remove"
  | "rewrite"
>;
function runMethods(handle: Handle): RunMethods {
  const { queue, readers, writer, memory, events, largeChars } = handle;
  const keepBlobs = blobKeeping(writer);
  const runs = runRows(readers);
  const remove = runRemoval(writer, memory);
  const rewrite = runRewriting(writer, memory);
  const snapshots = snapshotRows(readers, writer);
  return {
    async append(order) {
      checkAppendOrder(order);
      checkText(order.run, ...(order.consumed ?? []));
      const encoded = packEvents(order.events, largeChars);
      if (hasBlobs(encoded))
        await queue.submit({
          kind: "alone",
          point: "blobs",
          work: () => keepBlobs(order.run, order.expected + 1, encoded),
        });
      return withApart(await queue.submit({ kind: "append", order, encoded }), encoded);
    },
    read: reading(handle, async (run, page) => {
      const stored = await events.read(run, page);
      const leaveApart = page.leaveApart === true;
      const texts = await blobTexts((asked) => readers.read(asked), digestsIn(stored, leaveApart));
      return stored.map((event) => decodeWhole(event, leaveApart, (digest) => texts.get(digest)));
    }),
    readApart: reading(handle, async (event, digests) => {
      const texts = await blobTexts((asked) => readers.read(asked), digests);
      return checkedTexts(event, digests, (digest) => texts.get(digest));
    }),
    readStored: reading(handle, (run, page) => events.read(run, page)),
    head: reading(handle, (run) => events.head(run)),
    runs: reading(handle, (filter = {}) => runs.list(filter)),
    saveSnapshot: (run, snapshot) =>
      queue.submit({ kind: "alone", point: "snapshot", work: () => snapshots.save(run, snapshot) }),
    remove: (order) => queue.submit({ kind: "alone", point: "archive", work: () => remove(order) }),
    rewrite: (order) => queue.submit({ kind: "alone", point: "rewrite", work: () => rewrite(order) }),
    loadSnapshot: reading(handle, async (run, fold) => {
      try {
        return await snapshots.load(run, fold);
      } catch (error) {
        // Unreadable is as good as none: the run is folded from its events, which are checked on their own.
        if (isFault(error, "journal_damaged")) return null;
        throw error;
      }
    }),
  };
}

type InboxMethods = Pick<Journal, "ask" | "inbox" | "addressesWithMail" | "consume" | "mailTexts">;
function inboxMethods(handle: Handle): InboxMethods {
  const { queue, readers, writer } = handle;
  const inbox = inboxRows(readers, writer);
  return {
    async ask(row) {
      const mail = mailOf(row);
      return queue.submit({ kind: "alone", point: "ask", work: () => inbox.ask(mail) });
    },
    inbox: reading(handle, (address) => inbox.inbox(address)),
    mailTexts: reading(handle, (address) => inbox.texts(address)),
    addressesWithMail: reading(handle, () => inbox.addressesWithMail()),
    consume: (address, ids) =>
      queue.submit({ kind: "alone", point: "consume", work: () => inbox.consume(address, ids) }),
  };
}

function hostMethods(handle: Handle, lock: HostRecords["lock"]): HostRecords {
  const { queue, readers, writer } = handle;
  const hosts = hostRows(readers, writer);
  const offers = offerRows(readers, writer);
  return {
    put: (facts) => queue.submit({ kind: "alone", point: null, work: () => hosts.put(facts) }),
    list: reading(handle, () => hosts.list()),
    drain: (id, by) => queue.submit({ kind: "alone", point: "drain", work: () => hosts.drain(id, by) }),
    lock,
    offers: {
      asked: reading(handle, () => offers.asked()),
      pull: (order) => queue.submit({ kind: "alone", point: null, work: () => offers.pull(order) }),
      giveBack: (runs) => queue.submit({ kind: "alone", point: null, work: () => offers.giveBack(runs) }),
    },
  };
}

type LeaseMethods = Pick<
  Journal,
  "claim" | "takeOver" | "lease" | "holders" | "release" | "beat" | "sighting" | "noteSighting"
>;
function leaseMethods(handle: Handle): LeaseMethods {
  const { queue, readers, writer } = handle;
  const leases = leaseRows(readers, writer);
  return {
    claim: (address, owner) =>
      queue.submit({ kind: "alone", point: "claim", work: () => leases.claim({ address, owner }) }),
    takeOver: (address, owner, seen) =>
      queue.submit({ kind: "alone", point: "takeover", work: () => leases.claim({ address, owner, seen }) }),
    lease: reading(handle, (address) => leases.lease(address)),
    holders: reading(handle, () => leases.holders()),
    release: (address, epoch) =>
      queue.submit({ kind: "alone", point: "release", work: () => leases.release(address, epoch) }),
    beat: (ownerId) => queue.submit({ kind: "alone", point: null, work: () => leases.beat(ownerId) }),
    sighting: reading(handle, (owner, observer) => leases.sighting(owner, observer)),
    noteSighting: (sighting, lease) =>
      queue.submit({ kind: "alone", point: null, work: () => leases.noteSighting(sighting, lease) }),
  };
}
