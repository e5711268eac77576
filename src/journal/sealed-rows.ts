import type { RunStatus } from "../model/state/run-status.ts";
import type { ProcessIdentity } from "../model/world.ts";
import type { Holder, InboxRow, Lease, Owner, RunListing, Sighting, Snapshot } from "./journal.ts";
import { mailRow, type StoredMail } from "./mail-row.ts";
import { rowDamaged } from "./seal.ts";
import { integer, integerOrNull, text, textOrNull, type Row } from "./row-values.ts";

type Seal = (columns: readonly (string | number | null)[]) => string;

export interface Mail extends StoredMail {
  readonly consumed: number;
}

/** Of an owner whose version did not note its place: no namespace that can be compared, so only its beats count. */
const UNNOTED_PLACE = { space: "" } as const;

/** The rows that the stores in SQL keep outside of the chain: how they are sealed, and how they are checked and read. */
export class SealedRows {
  readonly #seal: Seal;

  constructor(seal: Seal) {
    this.#seal = seal;
  }

  leaseSeal(address: string, epoch: number, owner: Owner | null): string {
    const { host = null, pid = null, startedAt = null } = owner?.process ?? {};
    return this.#seal([address, epoch, owner?.id ?? null, host, pid, startedAt]);
  }

  /** The holder named in a lease's row, after its seal was checked. */
  checkLease(address: string, row: Row): Owner | null {
    const id = textOrNull(row, "owner");
    const [host, pid, startedAt] = [
      textOrNull(row, "host"),
      integerOrNull(row, "pid"),
      textOrNull(row, "started_at"),
    ];
    if (row["lease_seal"] !== this.#seal([address, integer(row, "epoch"), id, host, pid, startedAt]))
      throw rowDamaged("leases", address, "does not match its seal");
    if (id === null || host === null || pid === null || startedAt === null) return null;
    return { id, process: { host, pid, startedAt } };
  }

  /** The holder with the place of its process. */
  ownerIn(address: string, row: Row): Owner | null {
    const owner = this.checkLease(address, row);
    if (owner === null) return null;
    return { ...owner, process: { ...owner.process, ...this.#checkPlace(owner.id, row) } };
  }

  leaseIn(address: string, row: Row): Lease {
    const owner = this.ownerIn(address, row);
    const beats = owner === null ? 0 : this.checkOwner(row).beats;
    return { address, epoch: integer(row, "epoch"), owner, beats };
  }

  holderIn(row: Row, now: number): Holder[] {
    const address = text(row, "address");
    const owner = this.ownerIn(address, row);
    if (owner === null) return [];
    const { beatAt } = this.checkOwner(row);
    const beatAgeMs = beatAt === null ? null : Math.max(0, now - beatAt);
    return [{ address, epoch: integer(row, "epoch"), owner, beatAgeMs }];
  }

  /** An owner of an older version leaves no time, and seals without it. */
  ownerSeal(owner: string, beats: number, beatAt: number | null): string {
    return this.#seal(beatAt === null ? [owner, beats] : [owner, beats, beatAt]);
  }

  checkOwner(row: Row): { owner: string; beats: number; beatAt: number | null } {
    const found = {
      owner: text(row, "owner"),
      beats: integer(row, "beats"),
      beatAt: integerOrNull(row, "beat_at"),
    };
    if (row["owner_seal"] !== this.ownerSeal(found.owner, found.beats, found.beatAt))
      throw rowDamaged("owners", found.owner, "does not match its seal");
    return found;
  }

  placeSeal(owner: string, space: string | null, machine: string | null): string {
    return this.#seal([owner, space, machine]);
  }

  /** Where an owner's process is, after its seal was checked. */
  #checkPlace(owner: string, row: Row): Pick<ProcessIdentity, "space" | "machine"> {
    const seal = textOrNull(row, "place_seal");
    if (seal === null) return UNNOTED_PLACE;
    const [space, machine] = [textOrNull(row, "space"), textOrNull(row, "machine")];
    if (seal !== this.placeSeal(owner, space, machine))
      throw rowDamaged("owner_places", owner, "does not match its seal");
    return { ...(space === null ? {} : { space }), ...(machine === null ? {} : { machine }) };
  }

  sightingSeal({ owner, observer, beats, seenAt }: Sighting): string {
    return this.#seal([owner, observer, beats, seenAt]);
  }

  /** A sighting that does not match its seal is as good as none: it is made again, and only time is lost. */
  sightingIn(row: Row, of: Pick<Sighting, "owner" | "observer">): Sighting | null {
    const found = { ...of, beats: integer(row, "beats"), seenAt: integer(row, "seen_at") };
    return row["seal"] === this.sightingSeal(found) ? found : null;
  }

  mailSeal({ id, address, at, consumed, body }: Mail): string {
    return this.#seal([id, address, at, consumed, body]);
  }

  checkMail(row: Row): Mail {
    const mail = {
      id: text(row, "id"),
      address: text(row, "address"),
      at: integer(row, "at"),
      consumed: integer(row, "consumed"),
      body: text(row, "body"),
    };
    if (row["seal"] !== this.mailSeal(mail)) throw rowDamaged("inbox", mail.id, "does not match its seal");
    return mail;
  }

  mailIn(row: Row): InboxRow {
    return mailRow(text(row, "id"), text(row, "address"), () => this.checkMail(row));
  }

  snapshotSeal(run: string, { seq, hash, fold, state }: Snapshot): string {
    return this.#seal([run, seq, hash, fold, state]);
  }

  /** A run's listing without its head; the goal is JSON text, so that any string survives. */
  listingIn(row: Row): Omit<RunListing, "seq" | "updatedAt"> {
    const run = text(row, "run");
    const status = text(row, "status");
    const wakeAt = integerOrNull(row, "wake_at");
    const createdAt = integer(row, "created_at");
    const goal = text(row, "goal");
    if (row["run_seal"] !== this.#seal([run, status, wakeAt, createdAt, goal]))
      throw rowDamaged("runs", run, "does not match its seal");
    return { run, status: status as RunStatus, goal: JSON.parse(goal) as string, wakeAt, createdAt };
  }
}
