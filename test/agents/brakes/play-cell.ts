import type { BrakeCell } from "./brake-cells.ts";
import type { Played } from "./played.ts";

const LINE_CHARS = 200;
/** Folders of a stage differ each time. */
const STAGE = /\/\S*?holdfast-agent-\w+/g;

interface CellEnd extends Played {
  readonly passed: boolean;
  readonly seconds: number;
  /** All that a failed cell says. */
  readonly story: string;
}

/** Plays a cell as the runner of tests would, without ending with it. */
export async function playCell(cell: BrakeCell): Promise<CellEnd> {
  const atEnd: (() => unknown)[] = [];
  const begunMs = Date.now();
  const context = {
    after: (ends: () => unknown) => void atEnd.push(ends),
    diagnostic: () => {},
  } as unknown as Parameters<BrakeCell["play"]>[0];
  const end = await cell.play(context).then(passed, failed);
  const cleared = await clear(atEnd);
  const seconds = Math.round((Date.now() - begunMs) / 1_000);
  return { ...(end.passed && cleared !== null ? failed(cleared) : end), seconds };
}

const passed = (played: Played): Omit<CellEnd, "seconds"> => ({ ...played, passed: true, story: "" });

function failed(error: unknown): Omit<CellEnd, "seconds"> {
  const story = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const said = error instanceof Error ? error.message : story;
  const did = said.split("\n")[0]?.replaceAll(STAGE, "…").slice(0, LINE_CHARS) ?? "";
  return { did, sandbox: "", passed: false, story };
}

/** All of it, also where a part fails; answers the first failure. */
async function clear(atEnd: readonly (() => unknown)[]): Promise<unknown> {
  let first: unknown = null;
  for (const ends of atEnd)
    try {
      await ends();
    } catch (error) {
      first ??= error;
    }
  return first;
}
