import { Fault } from "../../model/fault.ts";

/** Retries of each workstream, and in all, that an autopilot is given where nothing is said. */
export const RETRIES_DEFAULT = 2;
export const MISSION_RETRIES_DEFAULT = 10;

/** Which workstream is launched. */
export function namedWorkstream(id: string | undefined): string {
  if (id !== undefined) return id;
  throw new Fault("usage", "no workstream is named; expected --workstream ID, as `mission status` shows it");
}

const COUNT_MAX = 100;

/** A number of retries; undefined where none is named. */
export function countOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (text.trim() !== "" && Number.isInteger(count) && count >= 0 && count <= COUNT_MAX) return count;
  throw new Fault("usage", `${option} is "${text}"; expected a whole number from 0 to ${String(COUNT_MAX)}`);
}
