import { isUnchanged } from "../../append-rules.ts";
import type { ClaimOutcome, Holder, Lease, Owner } from "../../journal.ts";
import { rowDamaged, unlessDamaged } from "../../seal.ts";
import { checkOwner, checkPlace, placeSeal, sightingRows, type SightingRows } from "./owner-rows.ts";
import type { Readers } from "../link/readers.ts";
import { checkText, integer, integerOrNull, rowSeal, text, textOrNull, type Row } from "./row-values.ts";
import { statement } from "../statements.ts";
import type { Answer, Writer } from "../append/writer.ts";

export const leaseSeal = (address: string, epoch: number, owner: Owner | null): string =>
  rowSeal([
    address,
    epoch,
    owner?.id ?? null,
    owner?.process.host ?? null,
    owner?.process.pid ?? null,
    owner?.process.startedAt ?? null,
  ]);

/** The holder named in a lease's row, after its seal was checked. */
export function checkLease(address: string, row: Row): Owner | null {
  const id = textOrNull(row, "owner");
  const [host, pid, startedAt] = [
    textOrNull(row, "host"),
    integerOrNull(row, "pid"),
    textOrNull(row, "started_at"),
  ];
  if (row["lease_seal"] !== rowSeal([address, integer(row, "epoch"), id, host, pid, startedAt]))
    throw rowDamaged("leases", address, "does not match its seal");
  if (id === null || host === null || pid === null || startedAt === null) return null;
  return { id, process: { host, pid, startedAt } };
}

/** The holder with the place of its process. */
export function ownerIn(address: string, row: Row): Owner | null {
  const owner = checkLease(address, row);
  if (owner === null) return null;
  return { ...owner, process: { ...owner.process, ...checkPlace(owner.id, row) } };
}

function leaseIn(address: string, row: Row | undefined): Lease | null {
  if (row === undefined) return null;
  const owner = ownerIn(address, row);
  const beats = owner === null ? 0 : checkOwner(row).beats;
  return { address, epoch: integer(row, "epoch"), owner, beats };
}

function holderIn(row: Row): Holder[] {
  const address = text(row, "address");
  const owner = ownerIn(address, row);
  if (owner === null) return [];
  const { beatAt } = checkOwner(row);
  const beatAgeMs = beatAt === null ? null : Math.max(0, integer(row, "now") - beatAt);
  return [{ address, epoch: integer(row, "epoch"), owner, beatAgeMs }];
}

export interface LeaseRows extends SightingRows {
  lease(address: string): Promise<Lease | null>;
  holders(): Promise<Holder[]>;
  /** A claim, or with `seen` a takeover from the holder seen then. */
  claim(claim: {
    readonly address: string;
    readonly owner: Owner;
    readonly seen?: Lease;
  }): Promise<ClaimOutcome>;
  release(address: string, epoch: number): Promise<void>;
  beat(ownerId: string): Promise<void>;
}

/**
 * A lease is looked at, assessed here, and changed by the store only if it still is what was looked at; otherwise
 * assessed again. A change whose answer was lost is found by looking: nobody else makes this owner the holder.
 */
export function leaseRows(readers: Readers, writer: Writer): LeaseRows {
  const lease = async (address: string): Promise<Lease | null> => {
    checkText(address);
    const [row] = await readers.read(statement("lease", address));
    return leaseIn(address, row);
  };
  const put = async (
    seen: Lease | null,
    next: { readonly address: string; readonly epoch: number; readonly owner: Owner | null },
  ): Promise<"put" | "put, or moved on" | "moved on"> => {
    const { address, epoch, owner } = next;
    const { host = null, pid = null, startedAt = null, space = null, machine = null } = owner?.process ?? {};
    const place = [space, machine, placeSeal(owner?.id ?? "", space, machine)];
    const before = [seen?.epoch ?? 0, seen?.owner?.id ?? null, seen?.beats ?? 0];
    const after = [epoch, owner?.id ?? null, host, pid, startedAt, leaseSeal(address, epoch, owner)];
    const { rows, again }: Answer = await writer.run(() =>
      statement("putLease", address, ...before, ...after, ...place),
    );
    if (rows[0]?.["put"] === true) return "put";
    return again ? "put, or moved on" : "moved on";
  };

  return {
    ...sightingRows(readers, writer),
    lease,
    holders: async () =>
      (await readers.read(statement("holders"))).flatMap((row) => unlessDamaged(() => holderIn(row))),
    async claim({ address, owner, seen }) {
      const { host, startedAt, space = "", machine = "" } = owner.process;
      checkText(owner.id, host, startedAt, space, machine);
      for (;;) {
        const current = await lease(address);
        const held =
          current !== null && (seen === undefined ? current.owner !== null : !isUnchanged(current, seen));
        if (held) return { kind: "held", lease: current };
        const epoch = (current?.epoch ?? 0) + 1;
        const claimed: ClaimOutcome = { kind: "claimed", epoch, from: current };
        const done = await put(current, { address, epoch, owner });
        if (done === "put") return claimed;
        if (done === "moved on") continue;
        const found = await lease(address);
        if (found?.epoch === epoch && found.owner?.id === owner.id) return claimed;
      }
    },
    async release(address, epoch) {
      for (;;) {
        const current = await lease(address);
        if (current === null || current.owner === null || current.epoch !== epoch) return;
        if ((await put(current, { address, epoch, owner: null })) === "put") return;
      }
    },
    async beat(ownerId) {
      checkText(ownerId);
      await writer.run(() => statement("updateOwner", ownerId));
    },
  };
}
