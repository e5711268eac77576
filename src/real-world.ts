import { randomBytes } from "node:crypto";
import { appendFileSync } from "node:fs";
import { uptime } from "node:os";
import { steadyClock } from "./agents/host-identity.ts";
import { livenessOf, selfIdentity } from "./agents/process-identity.ts";
import type { ClockReading } from "./model/host/clock.ts";
import { Fault } from "./model/fault.ts";
import type { World } from "./model/world.ts";

export interface RealWorldOptions {
  /** For tests: die by SIGKILL when this crash point is passed for the n-th time in this process (from 1). */
  readonly crashAt?: { readonly name: string; readonly occurrence: number };
  /** For tests: the file to which the name of every crash point passed is appended. */
  readonly tracePoints?: string;
}

/** The world as it is: real clock, real chance, real timers, real processes. */
export function realWorld(options: RealWorldOptions = {}): World & Required<Pick<World, "steady">> {
  return {
    self: selfIdentity(),
    now: () => Date.now(),
    steady: () => ({ clock: steadyClock(), ms: ranMs() }),
    clock: readClocks,
    chance: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
    id: (prefix) => newId(prefix, Date.now()),
    timer: startTimer,
    liveness: livenessOf,
    crashPoint: crashPoints(options),
  };
}

/** Node's own steady clock: since boot, without the time that the machine was suspended. */
const ranMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/** A process that is put off between two readings would see a jump where there is none: then they are read again. */
function readClocks(): ClockReading {
  for (let tries = 1; ; tries += 1) {
    const runMs = ranMs();
    const reading = { boot: steadyClock(), at: Date.now(), runMs, upMs: Math.round(uptime() * 1_000) };
    if (ranMs() - runMs < 100 || tries === 5) return reading;
  }
}

/** `HOLDFAST_CRASH_AT="journal.append.after#3"` and `HOLDFAST_CRASH_TRACE=FILE`: how the kill matrix reaches inside. */
export function crashOptionsFrom(env: Readonly<Record<string, string | undefined>>): RealWorldOptions {
  const at = env["HOLDFAST_CRASH_AT"];
  const trace = env["HOLDFAST_CRASH_TRACE"];
  return {
    ...(at === undefined || at === "" ? {} : { crashAt: parseCrashAt(at) }),
    ...(trace === undefined || trace === "" ? {} : { tracePoints: trace }),
  };
}

/** The world of this process, with the crash points that its environment asks for. */
export const worldHere = (): ReturnType<typeof realWorld> => realWorld(crashOptionsFrom(process.env));

function parseCrashAt(text: string): { name: string; occurrence: number } {
  const match = /^([a-z][a-z0-9._-]*)#([1-9]\d*)$/i.exec(text);
  if (match?.[1] === undefined)
    throw new Fault(
      "usage",
      `HOLDFAST_CRASH_AT is "${text}"; expected NAME#OCCURRENCE such as journal.append.after#3`,
    );
  return { name: match[1], occurrence: Number(match[2]) };
}

function crashPoints({ crashAt, tracePoints }: RealWorldOptions): (name: string) => void {
  if (crashAt === undefined && tracePoints === undefined) return () => undefined;
  let passed = 0;
  return (name) => {
    if (tracePoints !== undefined) appendFileSync(tracePoints, `${name}\n`);
    if (name !== crashAt?.name) return;
    passed += 1;
    if (passed === crashAt.occurrence) dieNow();
  };
}

/** What a shell says of a process that SIGKILL ended. */
const KILLED = 137;

function dieNow(): never {
  // The kernel ignores a signal of the first process of a namespace to itself, so that one leaves at once instead.
  if (process.pid === 1) process.removeAllListeners("exit").exit(KILLED);
  process.kill(process.pid, "SIGKILL");
  // The signal may take a moment to arrive, and nothing may happen in it.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_CHARS = 10;
const CHANCE_CHARS = 10;

/** Ten characters of time, so that ids sort by age, and ten of chance (50 bits within one millisecond). */
export function newId(prefix: string, nowMs: number): string {
  let time = "";
  for (let rest = nowMs; time.length < TIME_CHARS; rest = Math.floor(rest / 32))
    time = letter(rest % 32) + time;
  const chance = Array.from(randomBytes(CHANCE_CHARS), (byte) => letter(byte % 32)).join("");
  return `${prefix}_${time}${chance}`;
}

/** When an id was drawn; null for text that is no such id. */
export function timeOfId(id: string): number | null {
  const [, drawn] = id.split("_");
  const digits = [...(drawn?.slice(0, TIME_CHARS) ?? "")].map((char) => ALPHABET.indexOf(char));
  if (digits.length !== TIME_CHARS || digits.includes(-1)) return null;
  return digits.reduce((time, digit) => time * 32 + digit, 0);
}

const letter = (value: number): string => ALPHABET.charAt(value);

/** Node fires at once when asked to wait longer than this, so longer waits are made of several. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

function startTimer(delayMs: number, fire: () => void): () => void {
  let leftMs = Math.max(0, delayMs);
  let handle: NodeJS.Timeout;
  const arm = (): void => {
    const partMs = Math.min(leftMs, TIMEOUT_MS_MAX);
    leftMs -= partMs;
    handle = setTimeout(leftMs > 0 ? arm : fire, partMs);
  };
  arm();
  return () => {
    clearTimeout(handle);
  };
}
