import type { Command } from "commander";
import { Fault } from "../../../model/fault.ts";
import { assessText } from "../../../views/assess/assess-text.ts";
import { assessTrace, type TraceOptions, type TraceVerdict } from "../../../views/assess/assess-trace.ts";
import { TRACE_KINDS, traceProblem, type TraceEvent } from "../../../views/assess/trace-event.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { inputLines, type InputLine } from "../../run/input-lines.ts";
import type { Invocation } from "../../shell/invocation.ts";

export function addAssess(parent: Command, bind: Bind): void {
  parent
    .command("assess")
    .summary("assess the health of a recorded trace")
    .description(
      "Reads a trace (one event per line; `-` is standard input, and gzip is unpacked) and says whether a live supervisor would have found the agent healthy, stuck, crashed or waiting, and why. No store is needed. docs/health.md has the format.",
    )
    .argument("FILE", "the trace; with --batch or --text, one case per line")
    .option("--batch", 'each line is a whole trace: {"id", "events": […]}; prints one JSON object per line')
    .option("--text", 'each line is terminal text: {"id", "text"}; prints whether it reports a rate limit')
    .option(
      "--now <time>",
      "the time of the assessment, in ISO 8601, for times such as “resets at 7pm” (default: now)",
    )
    .addHelpText(
      "after",
      examples(
        ["assess trace.jsonl", "the verdict on one trace, with its evidence"],
        ["assess --batch traces.jsonl.gz", "a verdict for each of many"],
        ["assess --text screens.jsonl --now 2026-07-01T12:00:00Z", "which of these screens report a limit"],
      ),
    )
    .action(bind(assessFile));
}

interface Options {
  readonly batch?: boolean;
  readonly text?: boolean;
  readonly now?: string;
}

async function assessFile(call: Invocation, file: string, options: Options): Promise<number> {
  if (options.batch === true && options.text === true)
    throw new Fault("usage", "--batch and --text exclude each other; choose what the lines hold");
  const now = timeOf(options.now);
  const problems = new Problems(call, file);
  if (options.batch === true) await assessBatch(call, file, now, problems);
  else if (options.text === true) await assessTexts(call, file, now ?? Date.now(), problems);
  else await assessOne(call, file, now, problems);
  return problems.exitCode;
}

function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new Fault("usage", `--now ${text} is no time; expected ISO 8601, such as 2026-07-01T12:00:00Z`);
}

const localZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Lines that could not be assessed. The others are, and the exit code shows that some were not. */
class Problems {
  readonly #call: Invocation;
  readonly #file: string;
  readonly #unknownKinds = new Set<string>();
  #count = 0;

  constructor(call: Invocation, file: string) {
    this.#call = call;
    this.#file = file === "-" ? "standard input" : file;
  }

  get exitCode(): number {
    return this.#count === 0 ? EXIT.done : EXIT.usage;
  }

  get name(): string {
    return this.#file;
  }

  report(line: number, what: string): void {
    this.#count += 1;
    this.#call.output.note(`holdfast: ${this.#file}, line ${String(line)}: ${what}`);
  }

  /** Nothing is said about what no version knows yet; it is skipped, once with a word. */
  skipKind(line: number, kind: string): void {
    if (TRACE_KINDS.includes(kind) || this.#unknownKinds.has(kind)) return;
    this.#unknownKinds.add(kind);
    this.#call.output.note(
      `holdfast: ${this.#file}, line ${String(line)}: events of kind "${kind.slice(0, 80)}" are skipped; known are ${TRACE_KINDS.join(", ")}`,
    );
  }
}

function parse(line: InputLine, problems: Problems): unknown {
  const value = parseJson(line.text);
  if (value === undefined) problems.report(line.number, noJson(line));
  return value;
}

const noJson = ({ text }: InputLine): string =>
  `is no JSON (${text.slice(0, 60)}); expected one JSON object per line`;

/** Undefined for what is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function assessOne(
  call: Invocation,
  file: string,
  now: number | undefined,
  problems: Problems,
): Promise<void> {
  const events: TraceEvent[] = [];
  for await (const line of inputLines(call, file)) events.push(traceLine(line, problems));
  if (events.length === 0)
    throw new Fault("usage", `${problems.name} holds no event; expected a trace, one JSON object per line`);
  const at = now === undefined ? {} : { evaluatedAtMs: now };
  const verdict = assessTrace(events, { timed: true, zone: localZone(), ...at });
  call.output.document(verdict);
  printForPeople(call, verdict, events.length);
}

/** One trace is assessed whole or not at all. */
function traceLine(line: InputLine, problems: Problems): TraceEvent {
  const where = `${problems.name}, line ${String(line.number)}`;
  const value = parseJson(line.text);
  if (value === undefined) throw new Fault("usage", `${where}: ${noJson(line)}`);
  if (typeof value === "object" && value !== null && "events" in value)
    throw new Fault("usage", `${where}: holds a whole trace; use --batch`);
  const problem = traceProblem(value);
  if (problem !== null) throw new Fault("usage", `${where}: ${problem}`);
  const event = value as TraceEvent;
  problems.skipKind(line.number, event.kind);
  return event;
}

function printForPeople(call: Invocation, verdict: TraceVerdict, count: number): void {
  const { health, pattern, evidence, first_flagged_event: first, cleared_event: cleared } = verdict;
  call.output.line(`${health}${pattern === null ? "" : ` (${pattern})`}, ${String(count)} events`);
  for (const reason of evidence) call.output.line(`  ${reason}`);
  if (first !== null) call.output.line(`  first found at event ${String(first)}`);
  if (cleared !== null) call.output.line(`  over at event ${String(cleared)}`);
}

async function assessBatch(
  call: Invocation,
  file: string,
  now: number | undefined,
  problems: Problems,
): Promise<void> {
  for await (const line of inputLines(call, file)) {
    const value = parse(line, problems);
    const row = value === undefined ? null : batchRow(line.number, value, problems);
    if (row === null) continue;
    const verdict = assessTrace(row.events, { zone: localZone(), ...timesOf(row.value, now) });
    call.output.product(`${JSON.stringify({ id: row.value["id"], ...verdict })}\n`);
  }
}

interface BatchRow {
  readonly value: Readonly<Record<string, unknown>>;
  readonly events: readonly TraceEvent[];
}

function batchRow(number: number, value: unknown, problems: Problems): BatchRow | null {
  const row = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const { id, events } = row;
  if ((typeof id !== "string" && typeof id !== "number") || !Array.isArray(events)) {
    problems.report(number, 'is no case; expected {"id": "…", "events": […]}');
    return null;
  }
  for (const [index, event] of events.entries()) {
    const problem = traceProblem(event);
    if (problem !== null) {
      problems.report(number, `event ${String(index)} ${problem}`);
      return null;
    }
    problems.skipKind(number, (event as TraceEvent).kind);
  }
  return { value: row, events: events as TraceEvent[] };
}

function timesOf(
  row: Readonly<Record<string, unknown>>,
  now: number | undefined,
): Pick<TraceOptions, "timed" | "evaluatedAtMs"> {
  const timed = row["timing"] !== "nominal" && row["timing_is_real"] !== false;
  const at = typeof row["evaluated_at_ms"] === "number" ? row["evaluated_at_ms"] : now;
  return at === undefined ? { timed } : { timed, evaluatedAtMs: at };
}

async function assessTexts(call: Invocation, file: string, now: number, problems: Problems): Promise<void> {
  for await (const line of inputLines(call, file)) {
    const value = parse(line, problems);
    if (value === undefined) continue;
    const { id, text } = (typeof value === "object" && value !== null ? value : {}) as Record<
      string,
      unknown
    >;
    if (typeof text === "string")
      call.output.product(`${JSON.stringify({ id, ...assessText(text, now, localZone()) })}\n`);
    else problems.report(line.number, 'is no case; expected {"id": "…", "text": "…"}');
  }
}
