import type { BodyRecord, BodyScope, BodyState } from "../../model/state/body-state.ts";

type Move = (instant: number) => number;

/**
 * Moves the instants that the state of a program's function holds of its own: ends of sleeps, of waits and of pauses
 * between tries. Results, inputs and what it drew (`now()`) are answers that it was given, and stay.
 */
export function moveBody(body: BodyState, move: Move): void {
  moveScope(body.root, move);
  for (const key of Object.keys(body.doubtsAt)) body.doubtsAt[key] = move(body.doubtsAt[key] ?? 0);
}

function moveScope({ records, scopes }: BodyScope, move: Move): void {
  for (const [name, record] of Object.entries(records)) {
    const after = moveRecord(record, move);
    if (after !== record)
      Object.defineProperty(records, name, {
        value: after,
        enumerable: true,
        writable: true,
        configurable: true,
      });
  }
  for (const inner of Object.values(scopes)) moveScope(inner, move);
}

function moveRecord(record: BodyRecord, move: Move): BodyRecord {
  switch (record.kind) {
    case "slept":
      return { ...record, until: move(record.until) };
    case "tried":
      return { ...record, since: move(record.since), until: move(record.until) };
    case "waiting":
      return {
        ...record,
        until: record.until === null ? null : move(record.until),
        ...(record.since === undefined ? {} : { since: move(record.since) }),
      };
    case "spawned":
      return record.restartedAt === undefined
        ? record
        : { ...record, restartedAt: record.restartedAt.map(move) };
    case "error":
      return record.begun === undefined
        ? record
        : { ...record, begun: moveRecord(record.begun, move) as typeof record.begun };
    case "intended":
    case "value":
    case "drew":
    case "waited":
    case "looped":
      return record;
  }
}
