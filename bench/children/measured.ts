/** What a child process tells of itself: how long its work took once its modules were loaded, and its peak of memory. */
export interface Measured {
  readonly ms: number;
  readonly peakMb: number;
  /** Proof that the work was done. */
  readonly result: number;
}

/** The child's whole life: does its work once and prints one line. */
export async function measureOnce(work: () => number | Promise<number>): Promise<void> {
  const began = performance.now();
  const result = await work();
  const ms = performance.now() - began;
  const peakMb = process.resourceUsage().maxRSS / 1_024;
  console.log(JSON.stringify({ ms, peakMb, result } satisfies Measured));
}
