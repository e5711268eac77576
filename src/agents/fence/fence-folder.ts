import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { makeOwnFolder } from "../../files/own-folder.ts";
import { plainTextIfAny } from "../../files/plain-file.ts";
import { Fault } from "../../model/fault.ts";
import { permitSchema, type Permit } from "../../model/host/permit.ts";
import type { SteadyTime } from "../../model/world.ts";
import { sessionFolder, writeWhole } from "../keeper/session-folder.ts";

/**
 * What the guard of a host's agents reads, beside the folder of their sessions.
 *
 * On disk: `held`, a FIFO that has a writer while the supervisor or its sibling holds its lock of the store; `permit`,
 * until when agents may work; `guard`, the guard itself; in `guarded` a file per session that it has to freeze, which
 * names the run; in `frozen` a file per session that was frozen, which says since when. Nothing of it needs to
 * outlive the machine.
 */
export interface FenceFolder {
  readonly sessions: string;
  readonly folder: string;
  readonly held: string;
  readonly permit: string;
  readonly guard: string;
  readonly guarded: string;
  readonly frozen: string;
}

const BYTES_MAX = 10_000;

export function fenceFolder(sessions: string): FenceFolder {
  const folder = `${path.resolve(sessions)}-fence`;
  const file = (name: string): string => path.join(folder, name);
  return {
    sessions: path.resolve(sessions),
    folder,
    held: file("held"),
    permit: file("permit"),
    guard: file("guard"),
    guarded: file("guarded"),
    frozen: file("frozen"),
  };
}

/** Of two that make it at once both find it. */
export function makeFence({ folder, guarded, frozen, held }: FenceFolder): void {
  for (const one of [folder, guarded, frozen]) makeOwnFolder(one);
  if (existsSync(held)) return;
  const made = spawnSync("mkfifo", ["-m", "600", held], { encoding: "utf8" });
  if (existsSync(held)) return;
  const why = made.error?.message ?? made.stderr.trim();
  throw new Fault(
    "agent_failed",
    `the FIFO ${held} could not be made: ${why}; expected a disk that has FIFOs`,
  );
}

/** The name under which a session is kept here: that of its folder. */
export const fencedName = ({ sessions }: FenceFolder, session: string): string =>
  path.basename(sessionFolder(sessions, session).folder);

export function readPermit({ permit }: FenceFolder): Permit | null {
  const parsed = permitSchema.safeParse(jsonIn(permit));
  return parsed.success ? parsed.data : null;
}

export const writePermit = ({ permit }: FenceFolder, value: Permit, nonce: string): void =>
  writeWhole(permit, JSON.stringify(value), nonce);

export const namesIn = (folder: string): string[] =>
  (existsSync(folder) ? readdirSync(folder) : []).filter(isName);

/** A draft is not one yet. */
const isName = (name: string): boolean => !name.includes(".draft_");

/** Since when a session is frozen, by the machine's steady clock; null where it is not, or nobody knows. */
export function frozenSince({ frozen }: FenceFolder, name: string): SteadyTime | null {
  const found = jsonIn(path.join(frozen, name));
  if (typeof found !== "object" || found === null || !("clock" in found) || !("ms" in found)) return null;
  const { clock, ms } = found;
  return typeof clock === "string" && typeof ms === "number" ? { clock, ms } : null;
}

export const isFrozen = ({ frozen }: FenceFolder, name: string): boolean =>
  existsSync(path.join(frozen, name));

export const runOf = ({ guarded }: FenceFolder, name: string): string | null =>
  plainTextIfAny(path.join(guarded, name), { bytesMax: BYTES_MAX })?.trim() ?? null;

export function forget({ guarded, frozen }: FenceFolder, name: string): void {
  for (const folder of [guarded, frozen]) rmSync(path.join(folder, name), { force: true });
}

function jsonIn(file: string): unknown {
  try {
    return JSON.parse(plainTextIfAny(file, { bytesMax: BYTES_MAX }) ?? "null");
  } catch {
    return null;
  }
}
