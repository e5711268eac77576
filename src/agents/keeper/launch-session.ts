import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { hostname } from "node:os";
import { errorText } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";
import type { StartOrder, StartOutcome } from "../agent-driver.ts";
import { inheritedEnvironment } from "../inherited-environment.ts";
import { lowPriority } from "../low-priority.ts";
import { pause } from "../pause.ts";
import { COULD_NOT_WRITE, KEEPER_SCRIPT } from "./keeper-script.ts";
import { siftVariable } from "./spool/sifting.ts";
import { SPOKEN_TO_SCRIPT } from "./spoken-to-script.ts";
import {
  claimNever,
  makeSessionFolder,
  MARK_VARIABLE,
  readIdentity,
  writeWhole,
  type IdentityReading,
  type SessionFolder,
} from "./session-folder.ts";
import { OUTPUT_BYTES_MAX } from "./spool/spool-quota.ts";

export interface Launch {
  readonly session: SessionFolder;
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  /** Written to the session's `order.json` before the agent begins. */
  readonly order: unknown;
  /** Whose order it is: it says what is inherited from the environment, and the priority. */
  readonly heir?: Pick<StartOrder, "spec" | "withheld" | "environment" | "nice" | "enter">;
  /** Set in the agent's environment, or taken out of it. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Written whole before the agent begins, for its owner's eyes only, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Gives it a temporary folder of its own. */
  readonly ownTmp?: boolean;
  /** Of more than this its spools keep the beginning and the end; the default quota where left out. */
  readonly outputBytesMax?: number | undefined;
  /** What its stdin holds; otherwise it is empty. */
  readonly input?: string;
  /** Its stdin takes what `postWords` sends. */
  readonly spokenTo?: boolean;
}

const IDENTITY_WAIT_MS = 15_000;
const IDENTITY_POLL_MS = 5;
const RETRY_MS = 200;

/**
 * Starts the agent of a session unless it was started before, by whomever. Two that start at once, or one that starts
 * again after it was killed at any instant of this, leave one agent: the keepers settle it among themselves.
 */
export async function launchSession(world: World, launch: Launch): Promise<StartOutcome> {
  const { session } = launch;
  const before = outcomeOf(readIdentity(session));
  if (before !== undefined) return before;
  try {
    makeSessionFolder(session);
    if (launch.ownTmp === true) mkdirSync(session.tmp, { recursive: true });
    writeWhole(session.order, JSON.stringify(launch.order), world.id("draft"));
    writeWhole(session.quota, `${String(launch.outputBytesMax ?? OUTPUT_BYTES_MAX)}\n`, world.id("draft"));
    if (launch.input !== undefined) writeWhole(session.input, launch.input, world.id("draft"));
    for (const [file, text] of Object.entries(launch.files ?? {})) writeWhole(file, text, world.id("draft"));
    return await startKeeper(world, launch);
  } catch (error) {
    return { kind: "failed", text: `the session could not be started: ${errorText(error)}`, terminal: false };
  }
}

const TRIES_MAX = 10;

/** A keeper that could not write is followed by another, as long as we can: what we cannot write is named (ENOSPC). */
async function startKeeper(world: World, launch: Launch): Promise<StartOutcome> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await awaitIdentity(world, launch.session, spawnKeeper(world, launch));
    if (outcome.kind !== "could-not-write") return outcome;
    writeWhole(launch.session.order, JSON.stringify(launch.order), world.id("draft"));
    if (tries === TRIES_MAX)
      return { kind: "failed", text: `its keeper cannot write in ${launch.session.folder}`, terminal: false };
    await pause(world, RETRY_MS);
  }
}

function spawnKeeper(world: World, launch: Launch): ChildProcess {
  const { session, cwd, spokenTo, heir } = launch;
  const env = { ...inheritedEnvironment(process.env, heir ?? {}), ...launch.env };
  const files = Object.keys(launch.files ?? {});
  const entering = { own: session.tmp, command: launch.command, cwd, env, files };
  const command = heir?.enter?.(entering) ?? launch.command;
  const input = launch.input === undefined ? "ignore" : openSync(session.input, "r");
  const out = openSync(session.out, "a", 0o600);
  const err = openSync(session.err, "a", 0o600);
  try {
    world.crashPoint("session.spawn.before");
    const script = spokenTo === true ? SPOKEN_TO_SCRIPT : KEEPER_SCRIPT;
    const words = [
      "-c",
      `${lowPriority(heir?.nice ?? 0)}${script}`,
      "holdfast-keeper",
      session.folder,
      world.id("draft"),
      JSON.stringify(hostname()),
    ];
    const keeper = spawn("/bin/sh", [...words, ...command], {
      cwd,
      detached: true,
      stdio: [input, out, err],
      env: { ...env, ...siftVariable(), [MARK_VARIABLE]: session.mark },
    });
    keeper.unref();
    world.crashPoint("session.spawn.after");
    return keeper;
  } finally {
    if (input !== "ignore") closeSync(input);
    closeSync(out);
    closeSync(err);
  }
}

async function awaitIdentity(
  world: World,
  session: SessionFolder,
  keeper: ChildProcess,
): Promise<StartOutcome | { readonly kind: "could-not-write" }> {
  let left: string | undefined;
  keeper.once("error", (error) => (left = errorText(error)));
  keeper.once("exit", (code, signal) => (left = `its keeper ended at once (${String(code ?? signal)})`));
  for (let waitedMs = 0; waitedMs < IDENTITY_WAIT_MS; waitedMs += IDENTITY_POLL_MS) {
    // In this order: a keeper that left may have left because another had written its identity before.
    const leftBefore = left;
    const outcome = outcomeOf(readIdentity(session));
    if (outcome !== undefined) return outcome;
    if (leftBefore !== undefined && keeper.exitCode === COULD_NOT_WRITE) return { kind: "could-not-write" };
    if (leftBefore !== undefined) return { kind: "failed", text: leftBefore, terminal: false };
    await pause(world, IDENTITY_POLL_MS);
  }
  // Given up, so it must not begin later: the next attempt may be under way by then.
  const claimed = claimNever(session, world.id("draft"));
  if (claimed.kind !== "never")
    return outcomeOf(claimed) ?? { kind: "failed", text: "no identity", terminal: false };
  return { kind: "failed", text: `no keeper within ${String(IDENTITY_WAIT_MS)} ms`, terminal: false };
}

export function outcomeOf(reading: IdentityReading): StartOutcome | undefined {
  switch (reading.kind) {
    case "none":
      return undefined;
    case "keeper":
      return { kind: "started", detail: `pid ${String(reading.keeper.pid)} on ${reading.keeper.host}` };
    case "never":
      return { kind: "failed", text: "the session was ended before it began", terminal: false };
    case "unreadable":
      return { kind: "failed", text: reading.text, terminal: false };
  }
}
