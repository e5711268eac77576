import { z } from "zod";

/** What a host says of itself in a store that hosts share. */
export const hostFactsSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** The start of its machine; empty where the system does not name it. */
  boot: z.string(),
  version: z.string(),
  /** Runs that it works at once. */
  slots: z.number().int(),
  /** Agents whose programs were found there. */
  agents: z.array(z.string()),
  freeMemoryBytes: z.number(),
  /** On the disk of its state folder; null where nobody could say. */
  freeDiskBytes: z.number().nullable(),
  /** So long it may be silent. */
  leaseMs: z.number(),
  /** `joining` until it has looked for work once; `left` when its supervisor ended as it should. */
  phase: z.enum(["joining", "up", "left"]),
  /** What it has, for runs that need it. Earlier versions say nothing. */
  labels: z.array(z.string()).optional(),
  /** It has received that it is to take nothing new. Earlier versions do not say so. */
  draining: z.boolean().optional(),
});
export type HostFacts = z.infer<typeof hostFactsSchema>;

export interface HostRecord {
  readonly facts: HostFacts;
  /** Who asked it to drain; null where nobody did. */
  readonly drainedBy: string | null;
  readonly joinedAt: number;
  readonly beats: number;
  /** Since its last beat, by the store's clock. */
  readonly silentMs: number;
}

export type HostState = "joining" | "up" | "draining" | "down";

/** Beats come at a third of the lease; a host drains once it has received that it is to. */
export function hostState(record: HostRecord): HostState {
  const { facts, silentMs } = record;
  if (facts.phase === "left" || silentMs > facts.leaseMs) return "down";
  const drains = facts.draining ?? record.drainedBy !== null;
  return drains ? "draining" : facts.phase;
}

/** `requested`: somebody wants the host to drain, and its next beat brings it there. Null: nobody does. */
export function drainOf(record: HostRecord): "requested" | "received" | null {
  if (record.drainedBy === null) return null;
  return hostState(record) === "draining" ? "received" : "requested";
}
