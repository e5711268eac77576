import { Fault } from "../../model/fault.ts";

/** How far the output of a run was printed: events of the journal, and lines of each attempt. */
export interface LogPlace {
  /** The last event of which everything was printed. */
  readonly seq: number;
  /** How many lines of the event after it were printed. */
  readonly lines: number;
  /** By attempt: lines of its stdout and of its stderr. */
  readonly printed: Readonly<Record<string, readonly [out: number, err: number]>>;
}

export const LOG_START: LogPlace = { seq: 0, lines: 0, printed: {} };

export const cursorText = ({ seq, lines, printed }: LogPlace): string =>
  Buffer.from(JSON.stringify([seq, lines, printed])).toString("base64url");

/** What `logs --json` gave out with a line; everything that comes after that line. */
export function readCursor(text: string): LogPlace {
  try {
    const [seq, lines, printed] = JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as [
      number,
      number,
      LogPlace["printed"],
    ];
    const counts = [seq, lines, ...Object.values(printed).flat()];
    if (counts.every((count) => Number.isSafeInteger(count) && count >= 0)) return { seq, lines, printed };
  } catch {
    // Not one of ours: said below.
  }
  throw new Fault(
    "usage",
    `--cursor "${text}" is none; expected the cursor of a line that \`logs --json\` printed`,
  );
}
