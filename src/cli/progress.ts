import { isOver } from "../model/step-over.ts";
import type { Recorded } from "../model/events.ts";
import type { RunState } from "../model/run-state.ts";
import type { Output } from "./output.ts";
import { printable, printableLine } from "../model/printable.ts";
import { fitColumns } from "./printable.ts";
import { progressLines } from "./progress-lines.ts";
import { clockText, durationText } from "./time-text.ts";
import { UsageMeter } from "./usage-meter.ts";

/** Shows a run while it is worked in front. */
export interface Progress {
  event(event: Recorded): void;
  /** Something about this command itself. */
  say(text: string): void;
  close(): void;
}

const FRAME_MS = 250;
const FRAMES = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"];
const ERASE_LINE = "\r\u001b[2K";

/** On a terminal lines with a status line below them that is kept up to date; otherwise plain lines. */
export const createProgress = (output: Output, stateOf: () => Readonly<RunState> | undefined): Progress =>
  output.live ? liveProgress(output, stateOf) : plainProgress(output);

function plainProgress(output: Output): Progress {
  const meter = new UsageMeter();
  return {
    event: (event) => {
      for (const line of linesOf(event)) output.line(line);
      if (meter.hear(event)) output.line(`${clockText(event.at)}  so far: ${meter.text()}`);
    },
    say: (text) => output.line(text),
    close: () => undefined,
  };
}

const linesOf = (event: Recorded): string[] =>
  progressLines(event).map((line) => `${clockText(event.at)}  ${printableLine(line)}`);

function liveProgress(output: Output, stateOf: () => Readonly<RunState> | undefined): Progress {
  let frame = 0;
  let shown = false;
  let last = "";
  const meter = new UsageMeter();
  const draw = (): void => {
    frame += 1;
    const line = statusLine(stateOf(), { last, used: meter.text() });
    output.product(
      `${ERASE_LINE}${fitColumns(`${FRAMES[frame % FRAMES.length] ?? ""} ${line}`, output.columns - 1)}`,
    );
    shown = true;
  };
  const erase = (): void => {
    if (shown) output.product(ERASE_LINE);
    shown = false;
  };
  const timer = setInterval(draw, FRAME_MS);
  const print = (line: string): void => {
    erase();
    output.line(line);
    draw();
  };
  return {
    event: (event) => {
      meter.hear(event);
      for (const line of linesOf(event)) print(line);
      last = progressLines(event).at(-1) ?? last;
    },
    say: print,
    close: () => {
      clearInterval(timer);
      erase();
    },
  };
}

/** Where the run stands, in one line; pure but for the clock. */
export function statusLine(
  state: Readonly<RunState> | undefined,
  { last, used }: { readonly last: string; readonly used: string },
  nowMs = Date.now(),
): string {
  if (state === undefined) return printableLine(last);
  const done = Object.values(state.steps).filter(isOver).length;
  const live = Object.values(state.attempts).map(({ step, number }) => `${step} #${String(number)}`);
  const parts = [
    state.status,
    durationText(nowMs - state.createdAt),
    `${String(done)}/${String(Object.keys(state.steps).length)} steps`,
    ...(live.length > 0 ? [`at work: ${live.join(", ")}`] : []),
    ...(used === "" ? [] : [used]),
    ...(last === "" ? [] : [last]),
  ];
  return printable(printableLine(parts.join(" · ")));
}
