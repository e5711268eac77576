/**
 * The one way in which Holdfast reads a file that an agent, or anybody else, may have put there.
 *
 * 1. Only a regular file is opened: a FIFO waits for a writer for ever, `/dev/zero` never ends, and opening a device
 *    can do harm by itself. It is looked at before it is opened and again once it is open, without waiting
 *    (O_NONBLOCK).
 * 2. A link is refused unless the caller follows links; what a followed link leads to must be a regular file as well.
 * 3. No more is read than the caller allows, however large the file is or becomes, and not for longer than a deadline
 *    (I7).
 * 4. What was found instead is reported as a value: which kind of thing it is, why it was not read, and what to do.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  statSync,
  type Stats,
} from "node:fs";
import { performance } from "node:perf_hooks";
import { errorText, Fault, type FaultCode } from "../model/fault.ts";

export interface PlainOrder {
  readonly bytesMax: number;
  /** `follow` is for files that a person named or keeps elsewhere, such as a configuration among dotfiles. */
  readonly links?: "refuse" | "follow";
  readonly limitMs?: number;
}

/** A part of a file, from an offset on. */
export interface PartOrder extends PlainOrder {
  readonly from: number;
}

export interface Refusal {
  readonly kind: "refused";
  readonly why: "link" | "folder" | "special" | "too_large" | "too_slow" | "unreadable";
  /** Completes a sentence that begins with the path. */
  readonly problem: string;
  readonly cause?: unknown;
}

export interface Absent {
  readonly kind: "absent";
}

export interface OpenFile {
  readonly kind: "open";
  readonly fd: number;
  readonly stats: Stats;
}

export type PlainOpen = OpenFile | Absent | Refusal;
export type PlainRead =
  { readonly kind: "read"; readonly bytes: Buffer; readonly stats: Stats } | Absent | Refusal;

/** Of a record that Holdfast itself keeps beside an agent, such as what it was ordered to do. */
export const RECORD_BYTES_MAX = 16 * 1024 * 1024;

const LIMIT_MS = 10_000;
const CHUNK_BYTES = 1024 * 1024;
const SMALL_BYTES = 4 * 1024;
const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants;
const OPEN = O_RDONLY | O_NONBLOCK | O_NOCTTY;

/** All of a file, or why not. */
export function readPlain(file: string | Buffer, order: PlainOrder): PlainRead {
  const reading = pieceByPiece(file, order);
  for (;;) {
    const { done, value } = reading.next();
    if (done === true) return value;
  }
}

/** The same for files that may be large: others get on between its pieces. */
export async function readPlainLater(file: string | Buffer, order: PlainOrder): Promise<PlainRead> {
  const reading = pieceByPiece(file, order);
  for (;;) {
    const { done, value } = reading.next();
    if (done === true) return value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The file is open from its first piece to its last, so it is one file, no matter what takes its name meanwhile. */
function* pieceByPiece(file: string | Buffer, order: PlainOrder): Generator<undefined, PlainRead> {
  const opened = openPlain(file, order.links);
  if (opened.kind !== "open") return opened;
  try {
    return yield* readOpen(opened, order);
  } catch (error) {
    return unreadable(error);
  } finally {
    closeSync(opened.fd);
  }
}

/** The text of a file; undefined where there is none. A fault names what else was found. */
export function plainText(file: string, order: PlainOrder): string | undefined {
  const read = readPlain(file, order);
  if (read.kind === "refused") throw refusalFault(file, read);
  return read.kind === "absent" ? undefined : read.bytes.toString("utf8");
}

/** The same for callers to whom what cannot be read is as good as absent. */
export function plainTextIfAny(file: string, order: PlainOrder): string | undefined {
  const read = readPlain(file, order);
  return read.kind === "read" ? read.bytes.toString("utf8") : undefined;
}

/** At most so many bytes from an offset on; empty behind the end. */
export function readPlainAt(file: string, { from, bytesMax, links }: PartOrder): PlainRead {
  const opened = openPlain(file, links);
  if (opened.kind !== "open") return opened;
  try {
    const length = Math.max(0, Math.min(bytesMax, opened.stats.size - from));
    const buffer = Buffer.allocUnsafe(length);
    const read = length === 0 ? 0 : readSync(opened.fd, buffer, 0, length, from);
    return { kind: "read", bytes: buffer.subarray(0, read), stats: opened.stats };
  } catch (error) {
    return unreadable(error);
  } finally {
    closeSync(opened.fd);
  }
}

/** An open regular file, for callers that read in pieces; they close it. */
export function openPlain(file: string | Buffer, links: PlainOrder["links"] = "refuse"): PlainOpen {
  const problem = lookAtPlain(file, links);
  if (problem !== null) return problem;
  let fd: number | undefined;
  try {
    fd = openSync(file, links === "follow" ? OPEN : OPEN | O_NOFOLLOW);
    const stats = fstatSync(fd);
    const other = kindProblem(stats, file);
    if (other === null) return { kind: "open", fd, stats };
    closeSync(fd);
    return other;
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    return unreadable(error);
  }
}

/** Null where a regular file stands there. Nothing is opened. */
export function lookAtPlain(
  file: string | Buffer,
  links: PlainOrder["links"] = "refuse",
): Absent | Refusal | null {
  try {
    const stats = (links === "follow" ? statSync : lstatSync)(file, { throwIfNoEntry: false });
    return stats === undefined ? { kind: "absent" } : kindProblem(stats, file);
  } catch (error) {
    return unreadable(error);
  }
}

/** Every way to be something else than a file. A folder is one too; a link is named with its target. */
export function kindProblem(stats: Stats, file: string | Buffer): Refusal | null {
  if (stats.isFile()) return null;
  if (stats.isSymbolicLink()) {
    const problem = `is a link to ${targetOf(file)}, and links are not followed here; put the file itself in its place`;
    return { kind: "refused", why: "link", problem };
  }
  if (stats.isDirectory())
    return { kind: "refused", why: "folder", problem: "is a folder; expected a regular file: move it away" };
  const problem = `is ${specialKind(stats)}; expected a regular file: remove it (rm ${shown(file)}) or put a file in its place`;
  return { kind: "refused", why: "special", problem };
}

export function specialKind(stats: Pick<Stats, "isFIFO" | "isSocket" | "isBlockDevice">): string {
  if (stats.isFIFO()) return "a FIFO (named pipe)";
  if (stats.isSocket()) return "a socket";
  return stats.isBlockDevice() ? "a block device" : "a character device";
}

export const refusalFault = (
  file: string | Buffer,
  { problem, cause, why }: Refusal,
  code: FaultCode = "file_refused",
): Fault =>
  new Fault(code, `${shown(file)} ${problem}`, {
    cause,
    details: { file: shown(file), why },
    retry: "after-human",
  });

function* readOpen(opened: OpenFile, order: PlainOrder): Generator<undefined, PlainRead> {
  const { fd, stats } = opened;
  const { bytesMax, limitMs = LIMIT_MS } = order;
  if (stats.size > bytesMax) return tooLarge(stats.size, bytesMax);
  const untilMs = performance.now() + limitMs;
  const parts: Buffer[] = [];
  let filled = 0;
  // It may grow while it is read, so its end is where nothing more comes.
  for (;;) {
    const part = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(stats.size - filled, SMALL_BYTES)));
    const read = readSync(fd, part, 0, part.length, filled);
    if (read === 0) return { kind: "read", bytes: Buffer.concat(parts, filled), stats };
    filled += read;
    if (filled > bytesMax) return tooLarge(filled, bytesMax);
    if (performance.now() > untilMs) return tooSlow(limitMs);
    parts.push(part.subarray(0, read));
    yield;
  }
}

const tooLarge = (bytes: number, bytesMax: number): Refusal => ({
  kind: "refused",
  why: "too_large",
  problem: `has ${String(bytes)} bytes; expected at most ${String(bytesMax)}: shorten it or remove it`,
});

const tooSlow = (limitMs: number): Refusal => ({
  kind: "refused",
  why: "too_slow",
  problem: `could not be read within ${String(limitMs)} ms; see whether its disk answers, then try again`,
});

/** A link or a folder may have taken the name between the two looks. */
function unreadable(error: unknown): Absent | Refusal {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" };
  const problem =
    code === "EACCES" || code === "EPERM"
      ? "may not be read by this user; change its permissions"
      : `cannot be read: ${errorText(error)}`;
  return { kind: "refused", why: code === "ELOOP" ? "link" : "unreadable", problem, cause: error };
}

function targetOf(file: string | Buffer): string {
  try {
    return readlinkSync(file);
  } catch {
    return "somewhere";
  }
}

const shown = (file: string | Buffer): string => (typeof file === "string" ? file : file.toString("utf8"));
