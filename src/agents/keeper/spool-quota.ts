/**
 * How much of what an agent prints is read. Up to its quota all of a spool is; beyond it, reading stays close to the
 * end: what lies further back than `LAST_BYTES` is skipped, and said to be (I7). So an agent that prints without end
 * costs no more than one that does not, and the last lines before its exit, its result among them, are read always.
 * The spool itself keeps everything.
 */
export const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;
export const LAST_BYTES = 1024 * 1024;

/** Where reading goes on, or undefined where nothing is skipped. */
export function skipTo(readTo: number, size: number, quotaBytes: number): number | undefined {
  const to = size - LAST_BYTES;
  return readTo >= quotaBytes && to > readTo ? to : undefined;
}

export interface Skip {
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

/** What is recorded when output is skipped for the first time. */
export const quotaReached = ({ file, from, to }: Skip, quotaBytes: number) => ({
  what: "output of an agent that is read",
  bound: quotaBytes,
  detail: `the agent has printed more than ${String(quotaBytes)} bytes (supervisor.outputBytesMax); bytes ${String(from)} to ${String(to)} of ${file} are kept there and were not read; the last ${String(LAST_BYTES)} bytes are always read`,
});
