import type { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../files/open-database.ts";
import { errorText, isFault } from "../../model/fault.ts";
import { chainDamage } from "../chain-damage.ts";
import type { StoredEvent } from "../chain.ts";
import type { Damage } from "../journal.ts";
import { blobDamage, placesIn } from "../large-values.ts";
import { blobRows } from "./rows/blob-rows.ts";
import { storedEvent } from "./rows/event-rows.ts";
import { sealed } from "./rows/sealed.ts";
import { roundRows, type InRounds, type RoundEvent } from "./rows/round-rows.ts";
import { integer, text, type Row } from "../row-values.ts";
import { checkedHead, checkedListing } from "./rows/run-rows.ts";
import { usableSnapshot } from "./rows/snapshot-rows.ts";
import { damageOfStoreFile } from "./store-file.ts";
import { ROUND_SQL, SQL, VERIFY_SQL } from "./statements.ts";

/** Reads everything from one snapshot, on a connection of its own, while others may go on writing. */
export function damagesOf(file: string): Damage[] {
  const db = openDatabase(file, { readOnly: true });
  try {
    db.exec("BEGIN");
    const { inRounds, roundDamages } = readRounds(db);
    return [
      ...bytesDamages(file),
      ...roundDamages,
      ...eachRow(db, VERIFY_SQL.integrity, (row) => fileDamage(text(row, "integrity_check"))),
      ...eachRow(db, VERIFY_SQL.runs, (row) => runDamages(db, row, inRounds)),
      ...eachRow(db, VERIFY_SQL.leases, leaseDamages),
      ...eachRow(db, VERIFY_SQL.inbox, mailDamages),
      ...eachRow(db, VERIFY_SQL.snapshots, (row) => snapshotDamages(row, inRounds)),
      ...eachRow(db, VERIFY_SQL.orphans, orphanDamages),
    ];
  } finally {
    db.close();
  }
}

/** SQLite believes its log once it has read it in; what lies on disk may have changed since. */
function bytesDamages(file: string): Damage[] {
  const fault = damageOfStoreFile(file);
  return fault === null ? [] : [damage(null, null, fault.message)];
}

/** What a check finds in each row; a row that cannot be read is a finding too. */
function eachRow(db: DatabaseSync, sql: string, check: (row: Row) => Damage[]): Damage[] {
  const damages: Damage[] = [];
  try {
    for (const row of db.prepare(sql).iterate()) damages.push(...check(row));
  } catch (error) {
    damages.push(damage(null, null, errorText(error)));
  }
  return damages;
}

/** Turns a fault that reading throws into a finding. */
function findings(run: string | null, work: () => Damage[]): Damage[] {
  try {
    return work();
  } catch (error) {
    const seq = isFault(error) ? error.details["seq"] : undefined;
    return [damage(run, typeof seq === "number" ? seq : null, errorText(error))];
  }
}

const damage = (run: string | null, seq: number | null, what: string): Damage => ({ run, seq, what });

const fileDamage = (says: string): Damage[] => (says === "ok" ? [] : [damage(null, null, says)]);

/** Damaged rounds are one finding, and everything else is looked at as if there were none. */
function readRounds(db: DatabaseSync): { inRounds: InRounds; roundDamages: Damage[] } {
  let inRounds: InRounds = new Map();
  const roundDamages = findings(null, () => {
    inRounds = roundRows(db).read();
    const runOfKey = db.prepare(ROUND_SQL.runOfKey);
    const lost = [...inRounds.keys()].filter((key) => runOfKey.get(key) === undefined);
    return lost.map((key) =>
      damage(null, null, `rounds hold events of run number ${String(key)}, which is not there`),
    );
  });
  return { inRounds, roundDamages };
}

function runDamages(db: DatabaseSync, row: Row, inRounds: InRounds): Damage[] {
  const run = typeof row["run"] === "string" ? row["run"] : null;
  return [
    ...findings(run, () => (checkedListing(row, inRounds), [])),
    ...findings(run, () => {
      const name = text(row, "run");
      const key = integer(row, "run_key");
      const head = checkedHead(name, row);
      const behind = inRounds.get(key) ?? [];
      const named = apartCheck(db);
      const events = named.noting(storedEvents(db, { run: name, key, last: head.seq, behind }));
      const found = chainDamage(name, behind.at(-1) ?? head, events);
      return found === null ? named.damages() : [found];
    }),
  ];
}

/** Remembers which large values the events of a run name, and looks for them afterwards. */
function apartCheck(db: DatabaseSync): {
  noting(events: Iterable<StoredEvent>): Iterable<StoredEvent>;
  damages(): Damage[];
} {
  const blobs = blobRows(db);
  const named: { readonly run: string; readonly seq: number; readonly digest: string }[] = [];
  return {
    *noting(events) {
      for (const event of events) {
        const { run, seq } = event;
        for (const { digest } of placesIn(event.data)) named.push({ run, seq, digest });
        yield event;
      }
    },
    damages: () =>
      named.flatMap(({ run, seq, digest }) =>
        findings(run, () => {
          const unused = blobs.isUsed(run, seq, digest) ? null : `its use of ${digest} is not on record`;
          const what = blobDamage(digest, blobs.find(digest)) ?? unused;
          return what === null ? [] : [damage(run, seq, what)];
        }),
      ),
  };
}

function* storedEvents(
  db: DatabaseSync,
  of: { run: string; key: number; last: number; behind: readonly RoundEvent[] },
): Iterable<StoredEvent> {
  for (const row of db.prepare(SQL.readEvents).iterate(of.key, 0, of.last, -1))
    yield storedEvent(of.run, row);
  for (const { seq, at, type, data, hash } of of.behind) yield { run: of.run, seq, at, type, data, hash };
}

function leaseDamages(row: Row): Damage[] {
  return findings(null, () => {
    if (sealed.ownerIn(text(row, "address"), row) !== null) sealed.checkOwner(row);
    return [];
  });
}

const mailDamages = (row: Row): Damage[] => findings(null, () => (sealed.checkMail(row), []));

/** Nothing is lost with a snapshot, and reading goes on without it; but a disk that changes bytes is worth knowing. */
const snapshotDamages = (row: Row, inRounds: InRounds): Damage[] =>
  findings(null, () => {
    const run = text(row, "run");
    return usableSnapshot(run, row, inRounds) === null
      ? [damage(run, null, "its snapshot does not match its seal")]
      : [];
  });

function orphanDamages(row: Row): Damage[] {
  const count = integer(row, "n");
  return count === 0 ? [] : [damage(null, null, `${String(count)} ${text(row, "what")}`)];
}
