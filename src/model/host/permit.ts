import { z } from "zod";

/**
 * Until when agents of a host may work: written with every beat that the store has answered. By a clock that all
 * processes of the machine share and nobody sets.
 */
export const permitSchema = z.object({ clock: z.string(), untilMs: z.number() });
export type Permit = z.infer<typeof permitSchema>;

/** What the guard of a host's agents sees at one look. */
export interface PermitSight {
  /** Whether the supervisor or its sibling lives and holds its lock of the store. */
  readonly isSupervised: boolean;
  readonly permit: Permit | null;
  readonly now: { readonly clock: string; readonly ms: number };
}

/** A permit of another boot says nothing. */
export const mayWork = ({ isSupervised, permit, now }: PermitSight): boolean =>
  isSupervised && permit !== null && permit.clock === now.clock && now.ms < permit.untilMs;

/** So much of a lease after its last answered beat a host's agents may work: others wait for the whole. */
const PERMIT_SHARE = 0.8;

/** `sentMs`: when the beat was sent, since others may have seen it since then. */
export const permitUntil = (sentMs: number, leaseMs: number): number => sentMs + PERMIT_SHARE * leaseMs;
