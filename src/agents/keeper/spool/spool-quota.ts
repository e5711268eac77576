/**
 * How much of what an agent prints is read, and kept.
 *
 * 1. Up to its quota all of a spool is read. Beyond it, reading stays close to the end: what lies further back than
 *    `LAST_BYTES` is skipped, and said to be (I7). So an agent that prints without end costs no more than one that does
 *    not, and the last lines before its exit, its result among them, are read always.
 * 2. Up to its quota all of a spool is kept. Beyond it the copier keeps the last `KEPT_BYTES` to twice as many and makes
 *    a hole before them, in which zeros would be read. Nothing is read there: reading at an offset beyond the quota is
 *    always within `LAST_BYTES` of the end, which is looked up again after each piece.
 */
export const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;
export const LAST_BYTES = 1024 * 1024;
export const KEPT_BYTES = 4 * LAST_BYTES;

/** Where reading goes on, or undefined where nothing is skipped. */
export function skipTo(readTo: number, size: number, quotaBytes: number): number | undefined {
  const to = size - LAST_BYTES;
  return readTo >= quotaBytes && to > readTo ? to : undefined;
}

/** Where a reader that wants to see everything that is kept goes on: behind the hole, where there may be one. */
export function pastHole(readTo: number, size: number, quotaBytes: number): number | undefined {
  const to = size - KEPT_BYTES;
  return readTo >= quotaBytes && isDropping(size, quotaBytes) && to > readTo ? to : undefined;
}

/** Whether so much was printed that the copier drops what lies between the beginning and the end. */
export const isDropping = (size: number, quotaBytes: number): boolean => size > quotaBytes + 2 * KEPT_BYTES;

/** Whether a piece that was read may have been dropped meanwhile. */
export const mayBeHole = (from: number, size: number, quotaBytes: number): boolean =>
  from >= quotaBytes && isDropping(size, quotaBytes) && from < size - KEPT_BYTES;

export interface Skip {
  readonly file: string;
  readonly from: number;
  /** The same as `from` where everything was read, and the spool does not keep it. */
  readonly to: number;
  /** The quota by which the spool drops what lies between its beginning and its end; absent where it keeps everything. */
  readonly keptBytes?: number;
}

/** What is recorded when output is skipped or dropped for the first time. */
export function quotaReached({ file, from, to, keptBytes }: Skip, quotaBytes: number) {
  const range = `bytes ${String(from)} to ${String(to)} of ${file}`;
  const left =
    to > from ? `; ${range} ${keptBytes === undefined ? "are kept there and " : ""}were not read` : "";
  const kept =
    keptBytes === undefined
      ? ""
      : `; ${file} keeps the first ${String(keptBytes)} bytes and the last ${String(KEPT_BYTES)}, and what lies between is dropped`;
  return {
    what: "output of an agent that is read",
    bound: quotaBytes,
    detail: `the agent has printed more than ${String(quotaBytes)} bytes (supervisor.outputBytesMax)${left}${kept}; the last ${String(LAST_BYTES)} bytes are always read`,
  };
}
