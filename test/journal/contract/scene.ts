import assert from "node:assert/strict";
import type { AppendOrder, AppendOutcome, Head, Journal, Owner } from "../../../src/journal/journal.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import type { World } from "../../../src/model/world.ts";

/** One store with its handles: what a runner gives to the contract, again for every test. */
export interface StoreFixture {
  /** Another handle on the same store, as another process would open it. */
  open(): Promise<Journal>;
  /** Changes a stored event behind the store's back. Called while no handle is open. */
  tamper(run: string, seq: number, how: "changed" | "removed"): Promise<void>;
  /** The digests of all large values that are kept. */
  blobs(): Promise<string[]>;
  /** Changes a large value behind the store's back. Called while no handle is open. */
  tamperBlob(digest: string, how: "changed" | "removed"): Promise<void>;
  /** Closes every handle still open and removes everything. */
  cleanup(): Promise<void>;
}

export type CreateStore = (world: World) => Promise<StoreFixture>;

/** A world in which nothing happens by itself; it remembers crash points and dies at the one it is told to. */
export interface QuietWorld extends World {
  readonly passed: string[];
  dieAt: string | null;
}

export function quietWorld(): QuietWorld {
  const passed: string[] = [];
  let ids = 0;
  return {
    self: { host: "here", pid: 1, startedAt: "1" },
    now: () => 0,
    chance: () => 0,
    id: (prefix) => `${prefix}_${String((ids += 1))}`,
    timer: () => () => undefined,
    liveness: () => "unknown",
    passed,
    dieAt: null,
    crashPoint(name) {
      passed.push(name);
      if (name === this.dieAt) throw new Error(`died at ${name}`);
    },
  };
}

export interface Scene {
  readonly world: QuietWorld;
  readonly store: StoreFixture;
  /** The first handle. */
  readonly journal: Journal;
}

export interface Case {
  readonly title: string;
  readonly run: (scene: Scene) => Promise<void>;
}

export const owner = (id: string): Owner => ({ id, process: { host: "here", pid: 4_711, startedAt: id } });

/** An event that carries any text. */
export const said = (detail: string): RunEvent => ({
  type: "LimitReached",
  data: { what: "said", bound: 1, detail },
});

export async function claimed(journal: Journal, address: string, ownerId = "own_a"): Promise<number> {
  const outcome = await journal.claim(address, owner(ownerId));
  assert.ok(outcome.kind === "claimed");
  return outcome.epoch;
}

export const order = (run: string, expected: number, more: Partial<AppendOrder> = {}): AppendOrder => ({
  run,
  expected,
  epoch: 1,
  at: 1_000 + expected,
  events: [said(`${run} ${String(expected + 1)}`)],
  listing: { status: "running", goal: `goal of ${run}`, wakeAt: null },
  ...more,
});

export function headIn(outcome: AppendOutcome): Head {
  assert.ok(outcome.kind === "appended", outcome.kind);
  return outcome.head;
}

/** Claims a run and writes so many events to it, one append each. */
export async function written(journal: Journal, run: string, events: number): Promise<Head> {
  const epoch = await claimed(journal, run);
  let head: Head | null = null;
  for (let expected = 0; expected < events; expected += 1)
    head = headIn(await journal.append(order(run, expected, { epoch })));
  assert.ok(head !== null);
  return head;
}

export const all = { after: 0, limit: 1_000_000 } as const;
