import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { errorText } from "../../model/fault.ts";
import { whereaboutsOf, type ProcessIdentity, type World } from "../../model/world.ts";
import type { EndOutcome } from "../agent-driver.ts";
import { pause } from "../pause.ts";
import type { ProcessRow } from "../process-table.ts";
import { isBare, nextLook } from "./look-around.ts";
import { probeStarted } from "./probe-session.ts";
import {
  claimNever,
  leftovers,
  readHelpers,
  readIdentity,
  type IdentityReading,
  type SessionFolder,
} from "./session-folder.ts";
import { processesWithoutMarks, sessionMembers } from "./session-members.ts";
import { isThere, signalRow } from "./signal-row.ts";

/**
 * Ends everything of a session: politely, then firmly.
 *
 * 1. A session without an agent is claimed first, so that no start under way can bring one after the end.
 * 2. A signal goes only to a process that is the one it was when it was found to belong: pid and start time.
 * 3. The keeper is spared until it is alone, so that it can report how the agent ended; and so are its courier, whose
 *    end would be an end of input to the agent, and its copier, which has the agent's last output yet to write.
 * 4. `ended` is said only after two looks at the whole process table found nothing left: one alone misses what was
 *    born while it was taken, of a parent that died meanwhile.
 */
export async function endSession(world: World, session: SessionFolder, graceMs: number): Promise<EndOutcome> {
  const claimed = claim(world, session);
  if (claimed.kind === "unreadable") return failed(claimed.text);
  const keeper = claimed.kind === "keeper" ? claimed.keeper : undefined;
  if (keeper !== undefined && isLost(world, session)) return { kind: "ended" };
  if (keeper !== undefined && whereaboutsOf(world.self, keeper) === "elsewhere")
    return failed(livesElsewhere(world.self, keeper));
  world.crashPoint("session.end.before");
  const hunt = {
    world,
    keeper,
    helpers: () => readHelpers(session),
    look: async () => sessionMembers(session.mark, keeper, await nextLook(world)),
    strangers: new Set<string>(),
  };
  const politeMs = Math.min(graceMs, INTERRUPT_MS);
  const over =
    (await pursue(hunt, "SIGINT", politeMs)) ||
    (await pursue(hunt, "SIGTERM", graceMs - politeMs)) ||
    (await pursue(hunt, "SIGKILL", KILL_MS)) ||
    (await pursue({ ...hunt, keeper: undefined }, "SIGKILL", KILL_MS));
  world.crashPoint("session.end.after");
  // The keeper would have done it, but it may have been ended with the others.
  if (over) for (const left of leftovers(session)) rmSync(left, { recursive: true, force: true });
  return over ? { kind: "ended" } : failed(describe(await hunt.look()));
}

/** Its machine or container is gone, and nothing of it can be left. */
function isLost(world: World, session: SessionFolder): boolean {
  const found = probeStarted(world, session);
  return (found.kind === "gone" || found.kind === "over") && found.lost !== undefined;
}

const livesElsewhere = ({ host }: ProcessIdentity, keeper: ProcessIdentity): string =>
  keeper.host === host
    ? `the session lives in another container of ${host} and cannot be ended from here: end it there, or end the container`
    : `the session lives on ${keeper.host} and cannot be ended from ${host}`;

function claim(world: World, session: SessionFolder): IdentityReading {
  const reading = readIdentity(session);
  if (reading.kind !== "none") return reading;
  // With the state folder gone no keeper can claim a session: what lives is found by its mark.
  if (!existsSync(path.dirname(path.dirname(session.folder)))) return { kind: "never" };
  try {
    return claimNever(session, world.id("draft"));
  } catch (error) {
    return {
      kind: "unreadable",
      text: `the session could not be closed to agents yet to begin: ${errorText(error)}`,
    };
  }
}

interface Hunt {
  readonly world: World;
  /** Spared. */
  readonly keeper: ProcessIdentity | undefined;
  /** The courier and the copier, of which there may be a new one. */
  readonly helpers: () => readonly number[];
  look(): Promise<readonly ProcessRow[] | "unknown">;
  /** Processes that show no environment, and did not for as long as they were waited for. */
  readonly strangers: Set<string>;
}

/** An agent that heeds the interrupt does so quickly; the rest of the grace is for its answer to TERM. */
const INTERRUPT_MS = 300;
const KILL_MS = 2_000;
const POLL_MS = 20;
/** Reading the whole process table is dear, so between two looks only the known processes are watched. */
const LOOK_AGAIN_MS = 200;

/**
 * Signals everything that is found, once each, until nothing is found or the time is up. Answers whether nothing is
 * left.
 */
async function pursue(hunt: Hunt, signal: NodeJS.Signals, limitMs: number): Promise<boolean> {
  const signalled = new Set<string>();
  let spentMs = 0;
  for (;;) {
    let found = await hunt.look();
    if (isNone(found)) {
      await settle(hunt);
      found = await hunt.look();
      if (isNone(found)) return true;
    }
    if (spentMs >= limitMs) return false;
    if (found !== "unknown")
      for (const row of found) if (!isSpared(row, hunt)) signalOnce(row, signal, signalled);
    spentMs += await awaitNews(
      hunt.world,
      found === "unknown" ? [] : found,
      Math.min(LOOK_AGAIN_MS, limitMs - spentMs),
    );
  }
}

const isNone = (found: readonly ProcessRow[] | "unknown"): boolean =>
  found !== "unknown" && found.length === 0;

/** Long enough for an `exec` on a busy machine. */
const BECOMING_MS = 1_000;

/** A process in the middle of becoming another program shows whose it is only afterwards: it is waited for. */
async function settle({ world, strangers }: Hunt): Promise<void> {
  const becoming = processesWithoutMarks(await nextLook(world)).filter((row) => !strangers.has(nameOf(row)));
  const isUnclear = (row: ProcessRow): boolean => isThere(row) && isBare(row.pid);
  let spentMs = 0;
  do {
    await pause(world, POLL_MS);
    spentMs += POLL_MS;
  } while (spentMs < BECOMING_MS && becoming.some(isUnclear));
  for (const row of becoming.filter(isUnclear)) strangers.add(nameOf(row));
}

const nameOf = (row: ProcessRow): string => `${String(row.pid)} ${row.startedAt}`;

/** Waits until one of the known processes is gone, at most `limitMs`; answers how long it took. */
async function awaitNews(world: World, known: readonly ProcessRow[], limitMs: number): Promise<number> {
  let spentMs = 0;
  do {
    await pause(world, POLL_MS);
    spentMs += POLL_MS;
  } while (spentMs < limitMs && known.every(isThere));
  return spentMs;
}

/** While the keeper is; its helpers end with it. */
const isSpared = (row: ProcessRow, { keeper, helpers }: Hunt): boolean =>
  keeper !== undefined &&
  ((row.pid === keeper.pid && row.startedAt === keeper.startedAt) ||
    (row.parent === keeper.pid && helpers().includes(row.pid)));

function signalOnce(row: ProcessRow, signal: NodeJS.Signals, signalled: Set<string>): void {
  const key = nameOf(row);
  if (signalled.has(key)) return;
  signalled.add(key);
  signalRow(row, signal);
  // One that was stopped receives a polite signal only when it goes on.
  signalRow(row, "SIGCONT");
}

const failed = (text: string): EndOutcome => ({ kind: "failed", text });

const describe = (left: readonly ProcessRow[] | "unknown"): string =>
  left === "unknown"
    ? "the process table could not be read, so nothing is known of what is left"
    : `still there after SIGKILL: pid ${left.map((row) => row.pid).join(", ")}`;
