import type { Recorded } from "../../model/events/events.ts";
import { printableLine } from "../../model/text/printable.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { bold } from "./event-tone.ts";
import { LiveLines } from "./live-lines.ts";
import { shortTimes } from "./local-times.ts";
import type { Output } from "./output.ts";
import { describedLines, progressLines, type ProgressLine } from "./progress-lines.ts";
import { statusLine, statusTone } from "./status-line.ts";
import { clockText } from "./time-text.ts";
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

/** On a terminal lines grouped by step, with a status line below them; otherwise plain lines. */
export const createProgress = (output: Output, stateOf: () => Readonly<RunState> | undefined): Progress =>
  output.live ? liveProgress(output, stateOf) : plainProgress(output);

function plainProgress(output: Output): Progress {
  const meter = new UsageMeter();
  return {
    event: (event) => {
      for (const line of progressLines(event))
        output.line(`${clockText(event.at)}  ${shortTimes(printableLine(line), event.at)}`);
      if (meter.hear(event)) output.line(`${clockText(event.at)}  so far: ${meter.text()}`);
    },
    say: (text) => output.line(text),
    close: () => undefined,
  };
}

function liveProgress(output: Output, stateOf: () => Readonly<RunState> | undefined): Progress {
  let frame = 0;
  let group: string | null = null;
  let last = "";
  const meter = new UsageMeter();
  const lines = new LiveLines(output);
  const draw = (): void => {
    frame += 1;
    const state = stateOf();
    const text = statusLine(state, { last, used: meter.text() });
    lines.status(`${FRAMES[frame % FRAMES.length] ?? ""} ${text}`, statusTone(state));
  };
  const print = (at: number, line: ProgressLine): void => {
    if (line.step !== null && line.step !== group) {
      const heading = printableLine(`── ${line.step}`);
      lines.print("", output.colour ? bold(heading) : heading, "plain");
    }
    group = line.step ?? group;
    lines.print(clockText(at), shortTimes(withinGroup(line), at), line.tone);
    last = line.text;
  };
  const timer = setInterval(draw, FRAME_MS);
  return {
    event: (event) => {
      meter.hear(event);
      for (const line of describedLines(event)) print(event.at, line);
      draw();
    },
    say: (text) => {
      lines.say(text);
      draw();
    },
    close: () => {
      clearInterval(timer);
      lines.close();
    },
  };
}

/** Below the heading of its step a line need not name it again: `#2: says …` instead of `build#2: says …`. */
function withinGroup({ text, step }: ProgressLine): string {
  const line = printableLine(text);
  if (step === null) return line;
  for (const start of [`step ${step}: `, step])
    if (line.startsWith(start) && (start !== step || line[step.length] === "#"))
      return line.slice(start.length);
  return line;
}
