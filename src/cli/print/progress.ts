import { bold, describedLines, type ProgressLine, progressLines, type Tone } from "./progress-lines.ts";
import { LiveLines } from "./live-lines.ts";
import { clockText, durationText, shortTimes } from "./local-times.ts";
import type { Output } from "./output.ts";
import { UsageMeter } from "./usage-meter.ts";
import type { Recorded } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { isOver } from "../../model/state/step-over.ts";
import { printableLine } from "../../model/text/printable.ts";
import { statusHealth, type StatusHealth } from "../../views/status/status-health.ts";

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
      if (meter.observe(event)) output.line(`${clockText(event.at)}  so far: ${meter.text()}`);
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
      meter.observe(event);
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

/** What is waited for, in words. */
const WAITED: Readonly<Record<string, string>> = {
  limit: "the limit of its provider",
  provider: "its provider",
  guard: "the pause after crashes",
  host: "the host",
  person: "you",
  permission: "a permission",
  extension: "more time",
  tool: "a tool",
  model: "its model",
};

/** Where the run stands, in one line: step, health, what is waited for and until when, usage, how much is done. */
export function statusLine(
  state: Readonly<RunState> | undefined,
  { last, used }: { readonly last: string; readonly used: string },
  nowMs = Date.now(),
): string {
  if (state === undefined) return printableLine(last);
  const steps = Object.values(state.steps);
  const live = Object.values(state.attempts).map(({ step, number }) => `${step} #${String(number)}`);
  const parts = [
    live.length > 0 ? live.join(", ") : state.status,
    healthText(statusHealth(state, nowMs), nowMs),
    used,
    `${String(steps.filter(isOver).length)}/${String(steps.length)} steps`,
    durationText(nowMs - state.createdAt),
  ];
  return printableLine(parts.filter((part) => part !== "").join(" · "));
}

function healthText({ state, pattern, waitsFor, until }: StatusHealth, nowMs: number): string {
  if (waitsFor === undefined) return pattern === null ? state : `${state} (${pattern.replaceAll("_", " ")})`;
  const end = until === undefined ? "" : ` until ${shortTimes(until, nowMs)}`;
  return `waits for ${WAITED[waitsFor] ?? waitsFor}${end}`;
}

function statusTone(state: Readonly<RunState> | undefined, nowMs = Date.now()): Tone {
  const health = state === undefined ? "healthy" : statusHealth(state, nowMs).state;
  if (health === "healthy") return "faint";
  return health === "stuck" || health === "crashed" ? "bad" : "care";
}
