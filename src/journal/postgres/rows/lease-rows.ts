import { isUnchanged } from "../../append-rules.ts";
import type { ClaimOutcome, Holder, Journal, Lease, Owner } from "../../journal.ts";
import { integer } from "../../row-values.ts";
import { unlessDamaged } from "../../seal.ts";
import type { Readers } from "../link/readers.ts";
import { checkText, sealed } from "./sealed.ts";
import { statement } from "../statements.ts";
import type { Answer, Writer } from "../append/writer.ts";

type SightingRows = Pick<Journal, "sighting" | "noteSighting">;

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
    return row === undefined ? null : sealed.leaseIn(address, row);
  };
  const put = async (
    seen: Lease | null,
    next: { readonly address: string; readonly epoch: number; readonly owner: Owner | null },
  ): Promise<"put" | "put, or moved on" | "moved on"> => {
    const { address, epoch, owner } = next;
    const { host = null, pid = null, startedAt = null, space = null, machine = null } = owner?.process ?? {};
    const place = [space, machine, sealed.placeSeal(owner?.id ?? "", space, machine)];
    const before = [seen?.epoch ?? 0, seen?.owner?.id ?? null, seen?.beats ?? 0];
    const after = [epoch, owner?.id ?? null, host, pid, startedAt, sealed.leaseSeal(address, epoch, owner)];
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
      (await readers.read(statement("holders"))).flatMap((row) =>
        unlessDamaged(() => sealed.holderIn(row, integer(row, "now"))),
      ),
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

const sightingRows = (readers: Readers, writer: Writer): SightingRows => ({
  async sighting(owner, observer) {
    checkText(owner, observer);
    const [row] = await readers.read(statement("sighting", owner, observer));
    return row === undefined ? null : sealed.sightingIn(row, { owner, observer });
  },
  async noteSighting(sighting, { address, epoch }) {
    const { owner, observer, beats, seenAt } = sighting;
    checkText(owner, observer, address);
    const values = [owner, observer, beats, seenAt, sealed.sightingSeal(sighting), address, epoch];
    await writer.run(() => statement("upsertSighting", ...values));
  },
});
