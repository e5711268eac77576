/** How patiently one terminal is watched, and how much of it is kept. */
export const PACE = {
  lookApartMs: 250,
  probeApartMs: 1_200,
  writerAskedMs: 5_000,
  progressApartMs: 2_000,
  terminalLostMs: 1_500,
  lastBytesMs: 3_000,
  leaveGraceMs: 3_000,
  taskTriesMax: 3,
  /** Of a program that draws, the raw bytes are looked at once; more than this is not kept (I7). */
  drawnBytesMax: 32 * 1024 * 1024,
} as const;
