import { isUnchanged } from "../append-rules.ts";
import type { ClaimOutcome, Holder, Lease, Owner, Sighting } from "../journal.ts";
import type { MemoryDisk } from "./memory-disk.ts";

export function leaseOf(disk: MemoryDisk, address: string): Lease | null {
  const row = disk.leases.get(address);
  if (row === undefined) return null;
  const beats = row.owner === null ? 0 : (disk.owners.get(row.owner.id)?.beats ?? 0);
  return { address, epoch: row.epoch, owner: row.owner, beats };
}

export const holdersOf = (disk: MemoryDisk, now: number): Holder[] =>
  [...disk.leases].flatMap(([address, { epoch, owner }]) => {
    if (owner === null) return [];
    const beatAt = disk.owners.get(owner.id)?.beatAt;
    return [{ address, epoch, owner, beatAgeMs: beatAt === undefined ? null : Math.max(0, now - beatAt) }];
  });

/** Decides a claim, or with `seen` a takeover from the holder seen then; `write` makes it so. */
export function planClaim(
  disk: MemoryDisk,
  claim: { readonly address: string; readonly owner: Owner; readonly seen?: Lease; readonly at: number },
): { readonly outcome: ClaimOutcome; readonly write?: () => void } {
  const current = leaseOf(disk, claim.address);
  const held =
    current !== null &&
    (claim.seen === undefined ? current.owner !== null : !isUnchanged(current, claim.seen));
  if (held) return { outcome: { kind: "held", lease: current } };
  const epoch = (current?.epoch ?? 0) + 1;
  return {
    outcome: { kind: "claimed", epoch, from: current },
    write: () => {
      const owner = structuredClone(claim.owner);
      disk.leases.set(claim.address, { epoch, owner });
      const known = disk.owners.get(owner.id) ?? {
        beats: 0,
        beatAt: claim.at,
        leases: 0,
        sightings: new Map(),
      };
      disk.owners.set(owner.id, { ...known, leases: known.leases + 1 });
      forgetLease(disk, current?.owner ?? null);
    },
  };
}

/** Lets go of a lease if the epoch is still current; undefined if there is nothing to do. */
export function planRelease(disk: MemoryDisk, address: string, epoch: number): (() => void) | undefined {
  const current = disk.leases.get(address);
  if (current === undefined || current.owner === null || current.epoch !== epoch) return undefined;
  return () => {
    disk.leases.set(address, { epoch, owner: null });
    forgetLease(disk, current.owner);
  };
}

function forgetLease(disk: MemoryDisk, owner: Owner | null): void {
  const known = owner === null ? undefined : disk.owners.get(owner.id);
  if (owner === null || known === undefined) return;
  known.leases -= 1;
  if (known.leases === 0) disk.owners.delete(owner.id);
}

export function beat(disk: MemoryDisk, ownerId: string, at: number): void {
  const owner = disk.owners.get(ownerId);
  if (owner === undefined) return;
  owner.beats += 1;
  owner.beatAt = at;
}

export function noteSighting(
  disk: MemoryDisk,
  sighting: Sighting,
  { address, epoch }: Pick<Lease, "address" | "epoch">,
): void {
  const current = leaseOf(disk, address);
  if (current?.epoch !== epoch || current.owner?.id !== sighting.owner || current.beats !== sighting.beats)
    return;
  disk.owners.get(sighting.owner)?.sightings.set(sighting.observer, { ...sighting });
}
