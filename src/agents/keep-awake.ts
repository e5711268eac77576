import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import path from "node:path";
import { plainText, RECORD_BYTES_MAX } from "../files/plain-file.ts";
import { errorText } from "../model/fault.ts";
import type { ProcessIdentity, World } from "../model/world.ts";
import { findProgram } from "./find-program.ts";

/** Whether the machine is kept from sleeping, and by which program; `by` is null where it is not. */
export interface AwakeRecord {
  readonly by: string | null;
  readonly text: string;
}

export interface Awake {
  /** Called again and again with whether agents work now. */
  set(working: boolean): void;
  /** What the supervisor with that pid on this host says; null where it says nothing, or is gone. */
  of(pid: number): AwakeRecord | null;
  close(): void;
}

export interface AwakeOptions {
  readonly world: World;
  /** Where each supervisor says whether it keeps the machine awake, for people who ask others. */
  readonly folder: string;
  readonly isOn: boolean;
  /** Those of this process where they are not given. */
  readonly platform?: NodeJS.Platform;
  readonly searchPath?: string | undefined;
}

/** Agents come and go: it is let go only when none has worked for a while. */
const LINGER_MS = 5_000;
const STDERR_CHARS_MAX = 200;

/** As it lies in its file: whose it is goes with it, since a pid is used again. */
type KeptRecord = AwakeRecord & { readonly process: ProcessIdentity };

/**
 * Keeps the machine awake while agents work, by a program of the system that holds an inhibitor for as long as it runs.
 *
 * States: idle; held, while that program lives; lingering, when nobody works any more; failed, when it could not be
 * had, until the next time agents begin to work. The program ends with this process, however that ends: on Linux it
 * reads a pipe of this process, on macOS it watches its pid.
 */
export function keepAwake(options: AwakeOptions): Awake {
  let holding: ChildProcess | null = null;
  let wanted = false;
  let cancelLinger: (() => void) | null = null;
  const note = (record: AwakeRecord | null): void => writeRecord(options, record);
  const letGo = (): void => {
    cancelLinger = null;
    wanted = false;
    endInhibitor(holding);
    holding = null;
    note(null);
  };
  const hold = (): void => {
    wanted = true;
    const order = inhibitorFor(options);
    if (typeof order === "string") return note({ by: null, text: order });
    const child = startInhibitor(order);
    holding = child;
    const name = path.basename(order[0]);
    note({ by: name, text: `the machine is kept awake by ${name}` });
    onInhibitorEnd(child, (why) => {
      if (holding !== child) return;
      holding = null;
      note({ by: null, text: `the machine may sleep while agents work: ${name} ${why}` });
    });
  };
  return {
    set(working) {
      if (working) cancelLinger?.();
      if (working) cancelLinger = null;
      if (working && !wanted) hold();
      else if (!working && wanted) cancelLinger ??= options.world.timer(LINGER_MS, letGo);
    },
    of: (pid) => awakeOf(options, pid),
    close() {
      cancelLinger?.();
      if (wanted) letGo();
    },
  };
}

/** What is to be run, or why nothing can be. */
export function inhibitorFor({
  isOn,
  platform = process.platform,
  searchPath = process.env["PATH"],
}: Pick<AwakeOptions, "isOn" | "platform" | "searchPath">): readonly [string, ...string[]] | string {
  if (!isOn) return "the machine may sleep while agents work: supervisor.keepAwake is false";
  const name = { linux: "systemd-inhibit", darwin: "caffeinate" }[platform as string];
  if (name === undefined) return `the machine may sleep while agents work: not possible on ${platform}`;
  const program = findProgram(name, searchPath, "/");
  if (program === undefined) return `the machine may sleep while agents work: ${name} was not found on PATH`;
  return name === "caffeinate"
    ? [program, "-i", "-w", String(process.pid)]
    : [program, "--what=sleep:idle", "--who=Holdfast", "--why=agents are working", "--mode=block", "cat"];
}

/** In a group of its own, so that Ctrl-C in a terminal does not reach it. */
function startInhibitor([program, ...args]: readonly [string, ...string[]]): ChildProcess {
  const child = spawn(program, args, { detached: true, stdio: ["pipe", "ignore", "pipe"] });
  child.unref();
  for (const stream of [child.stdin, child.stderr]) if (stream instanceof Socket) stream.unref();
  child.stdin?.on("error", () => undefined);
  return child;
}

function onInhibitorEnd(child: ChildProcess, ended: (why: string) => void): void {
  let stderr = "";
  child.stderr?.on(
    "data",
    (text: Buffer) => (stderr = `${stderr}${String(text)}`.slice(0, STDERR_CHARS_MAX)),
  );
  child.on("error", (error) => ended(`could not be started: ${errorText(error)}`));
  child.on("close", (code) => ended(`ended with ${String(code)}: ${stderr.trim()}`));
}

function endInhibitor(child: ChildProcess | null): void {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.stdin?.end();
  try {
    process.kill(-child.pid, "SIGTERM");
  } catch {
    // It has ended meanwhile, which is what was wanted.
  }
}

const fileOf = (folder: string, pid: number): string => path.join(folder, `${String(pid)}.json`);

/** Only reported: a record that cannot be written keeps nobody from working. */
function writeRecord({ folder, world: { self } }: AwakeOptions, record: AwakeRecord | null): void {
  try {
    if (record === null) return rmSync(fileOf(folder, self.pid), { force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(
      fileOf(folder, self.pid),
      JSON.stringify({ process: self, ...record } satisfies KeptRecord),
      { mode: 0o600 },
    );
  } catch {
    return undefined;
  }
}

/** What the supervisor with that pid on this host says; null where it says nothing, or is gone. */
export function awakeOf(
  { folder, world }: Pick<AwakeOptions, "folder" | "world">,
  pid: number,
): AwakeRecord | null {
  try {
    // Written by Holdfast alone, into a folder of its own.
    const text = plainText(fileOf(folder, pid), { bytesMax: RECORD_BYTES_MAX });
    if (text === undefined) return null;
    const kept = JSON.parse(text) as KeptRecord;
    return world.liveness(kept.process) === "gone" ? null : { by: kept.by, text: kept.text };
  } catch {
    return null;
  }
}
