import { errorText, isFault } from "../../model/fault.ts";
import { chainWalk } from "../chain-damage.ts";
import type { Damage } from "../journal.ts";
import { blobDamage, placesIn } from "../large-values.ts";
import { usedBlobs } from "./rows/blob-rows.ts";
import { checkedHead, checkedListing, storedEvent } from "./rows/event-rows.ts";
import { sealed } from "./rows/sealed.ts";
import type { Link } from "./link/link.ts";
import { integer, text, type Row } from "../row-values.ts";
import { usableSnapshot } from "./rows/snapshot-rows.ts";
import { statement } from "./statements.ts";

const PAGE_ROWS = 1_000;

/** Reads everything from one snapshot, page by page, while others may go on writing. */
export async function damagesOf(link: Link): Promise<Damage[]> {
  await link.runAll("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  try {
    return [
      ...(await eachRow(link, { name: "verifyRuns", key: "run_key", first: 0 }, runDamages)),
      ...(await eachRow(link, { name: "verifyLeases", key: "address", first: "" }, leaseDamages)),
      ...(await eachRow(link, { name: "verifyInbox", key: "arrival", first: 0 }, mailDamages)),
      ...(await eachRow(link, { name: "verifySnapshots", key: "entry", first: 0 }, snapshotDamages)),
      ...(await link.run(statement("verifyOrphans"))).flatMap(orphanDamages),
    ];
  } finally {
    if (!link.broken) await link.runAll("ROLLBACK");
  }
}

interface Table {
  readonly name: Parameters<typeof statement>[0];
  /** The column by which pages follow each other. */
  readonly key: string;
  readonly first: string | number;
}

type Check = (link: Link, row: Row) => Damage[] | Promise<Damage[]>;

async function eachRow(link: Link, table: Table, check: Check): Promise<Damage[]> {
  const damages: Damage[] = [];
  let after: unknown = table.first;
  for (;;) {
    const rows = await link.run(statement(table.name, after, PAGE_ROWS));
    for (const row of rows) damages.push(...(await check(link, row)));
    if (rows.length < PAGE_ROWS) return damages;
    after = rows.at(-1)?.[table.key];
  }
}

/** Turns a fault that reading throws into a finding; what is wrong with the connection is none. */
async function findings(
  run: string | null,
  work: () => Damage | null | Promise<Damage | null>,
): Promise<Damage[]> {
  try {
    const found = await work();
    return found === null ? [] : [found];
  } catch (error) {
    if (!isFault(error, "journal_damaged")) throw error;
    const seq = error.details["seq"];
    return [damage(run, typeof seq === "number" ? seq : null, errorText(error))];
  }
}

const damage = (run: string | null, seq: number | null, what: string): Damage => ({ run, seq, what });

async function runDamages(link: Link, row: Row): Promise<Damage[]> {
  const run = text(row, "run");
  return [
    ...(await findings(run, () => (checkedListing(row), null))),
    ...(await eventDamages(link, run, row)),
  ];
}

/** The one column of a head that its seal leaves out. */
const placeDamage = (row: Row): Damage | null =>
  integer(row, "position") === integer(row, "event_position")
    ? null
    : damage(text(row, "run"), integer(row, "seq"), "its place among all events is not the one on record");

interface Named {
  readonly seq: number;
  readonly digests: readonly string[];
}

async function eventDamages(link: Link, run: string, row: Row): Promise<Damage[]> {
  const named: Named[] = [];
  const found = await findings(run, async () => (await chainDamage(link, row, named)) ?? placeDamage(row));
  if (found.length > 0) return found;
  const damages: Damage[] = [];
  for (const one of named) damages.push(...(await apartDamages(link, run, one)));
  return damages;
}

/** The large values that an event names. */
async function apartDamages(link: Link, run: string, { seq, digests }: Named): Promise<Damage[]> {
  const { texts, used } = await usedBlobs(link, { run, seq }, digests);
  return [...new Set(digests)].flatMap((digest) => {
    const unused = used.has(digest) ? null : `its use of ${digest} is not on record`;
    const what = blobDamage(digest, texts.get(digest)) ?? unused;
    return what === null ? [] : [damage(run, seq, what)];
  });
}

/** Notes which events name large values. */
async function chainDamage(link: Link, row: Row, named: Named[]): Promise<Damage | null> {
  const run = text(row, "run");
  const head = checkedHead(run, row);
  const walk = chainWalk(run);
  for (;;) {
    const rows = await link.run(statement("readEvents", integer(row, "run_key"), walk.seq, PAGE_ROWS));
    const events = rows.map((event) => storedEvent(run, event));
    for (const { seq, data } of events) {
      const digests = placesIn(data).map(({ digest }) => digest);
      if (digests.length > 0) named.push({ seq, digests });
    }
    const found = walk.on(events);
    if (found !== null) return found;
    if (rows.length < PAGE_ROWS) return walk.end(head);
  }
}

const leaseDamages: Check = (_link, row) =>
  findings(null, () => {
    if (sealed.ownerIn(text(row, "address"), row) !== null) sealed.checkOwner(row);
    return null;
  });

const mailDamages: Check = (_link, row) => findings(null, () => (sealed.checkMail(row), null));

/** Nothing is lost with a snapshot, and reading goes on without it; but a disk that changes bytes is worth knowing. */
const snapshotDamages: Check = (_link, row) =>
  findings(null, () => {
    const run = text(row, "run");
    return usableSnapshot(run, row) === null
      ? damage(run, null, "its snapshot does not match its seal or stands on no event")
      : null;
  });

function orphanDamages(row: Row): Damage[] {
  const count = integer(row, "n");
  return count === 0 ? [] : [damage(null, null, `${String(count)} ${text(row, "what")}`)];
}
