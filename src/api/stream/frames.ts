import type { Recorded } from "../../model/events/events.ts";

/** An event of the journal as one message of the stream; it carries the cursor that stands behind it. */
export function eventFrame({ run, seq, at, type, data, hash }: Recorded, cursor: string): string {
  // JSON holds no line ends, so that it is one line of the stream.
  return `id: ${cursor}\ndata: ${JSON.stringify({ run, seq, at, type, data, hash })}\n\n`;
}

/** The first message: where the stream begins, for who is cut off before anything happens. */
export const readyFrame = (cursor: string): string =>
  `retry: 1000\nid: ${cursor}\nevent: ready\ndata: ${JSON.stringify({ cursor })}\n\n`;

/** Keeps connections open that nothing is said on, and notes how far they are. It is no event for who listens. */
export const idleFrame = (cursor: string): string => `id: ${cursor}\n: still here\n\n`;
