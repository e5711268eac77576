import { toSignal } from "../../src/agents/to-signal.ts";
import { assess } from "../../src/decide/health/health-assess.ts";
import { observeSeen } from "../../src/fold/health/health-observe.ts";
import { HEALTH_LIMITS } from "../../src/fold/health/health-limits.ts";
import { newHealthState } from "../../src/fold/health/new-health-state.ts";
import { observeSignal } from "../../src/fold/attempt/observe-signal.ts";
import type { HealthState } from "../../src/model/agent/health.ts";
import type { Observed } from "../../src/model/agent/observed.ts";
import { observe, type TraceEvent } from "../../src/views/assess/trace-event.ts";
import type { Bench, BenchContext, Findings } from "../harness/bench.ts";
import { computedMs, NO_RATES, ratesOf, type Side } from "../harness/rounds.ts";
import { ratioOf, spreadOf } from "../harness/statistics.ts";

const SIGNALS = 3_000;
const SESSIONS = 1_000;

export const healthBench: Bench = { name: "health", title: "Health rules", run };

async function run({ quick, progress }: BenchContext): Promise<Findings> {
  const lines = sampleLines();
  const bytes = lines.reduce((total, line) => total + line.length, 0) / lines.length;
  progress(`${String(lines.length)} signals of ${bytes.toFixed(0)} bytes`);
  const plan = { rounds: quick ? 5 : 21, turns: 4, perTurn: lines.length, budgetMs: 60_000 };
  const sides = [parsing(lines), judging(lines), judgingWithKeys(lines), hearingLive(lines)];
  const [parsed = NO_RATES, judged = NO_RATES, keyed = NO_RATES, live = NO_RATES] = await ratesOf(
    sides,
    plan,
    computedMs,
  );
  const shareOfCore = live.whole.map((rate) => (100 * SESSIONS) / rate);
  return {
    says: `Time of the processor, not of the clock. Signals of an agent at work (calls, results of up to 4,000 characters, messages), ${bytes.toFixed(0)} bytes of JSON each on average, spread over ${String(SESSIONS)} sessions. Parsing is \`JSON.parse\` of the line alone; the rules fold what was observed into the session's health and assess it; with keys, texts are read, compared without their numbers and digested as well. From a live agent, what it says is checked and cut to size too, and digested with SHA-256, as it is before it is written down. ${String(parsed.whole.length)} rounds.`,
    figures: [
      { what: "parsing the line", unit: "per second", spread: spreadOf(parsed.whole) },
      { what: "rules", unit: "per second", spread: spreadOf(judged.whole) },
      { what: "rules with keys", unit: "per second", spread: spreadOf(keyed.whole) },
      { what: "rules on what a live agent says", unit: "per second", spread: spreadOf(live.whole) },
      {
        what: `${String(SESSIONS)} live sessions at one signal per second each, of one core`,
        unit: "%",
        spread: spreadOf(shareOfCore),
        target: { atMost: 10 },
      },
    ],
    ratios: [
      {
        what: "cost of the rules / parsing the line",
        spread: ratioOf(parsed.whole, judged.whole),
        target: { atMost: 2 },
      },
      {
        what: "cost of the rules with keys / parsing the line",
        spread: ratioOf(parsed.whole, keyed.whole),
        target: { atMost: 8 },
      },
    ],
  };
}

function parsing(lines: readonly string[]): Side {
  let seen = 0;
  return {
    more(times) {
      for (let index = 0; index < times; index += 1)
        seen += (JSON.parse(lines[index % lines.length] ?? "{}") as TraceEvent).t_ms;
    },
    close: () => void seen,
  };
}

/** Sessions take turns, as they do when many agents work at once. */
class Sessions {
  readonly #healths = Array.from({ length: SESSIONS }, () => newHealthState(0));
  #now = 0;

  hear(seen: readonly Observed[], index: number): void {
    const health = this.#next(index);
    for (const one of seen) observeSeen(health, one, this.#now, HEALTH_LIMITS);
    assess(health, this.#now, HEALTH_LIMITS);
  }

  hearSaid(said: unknown, index: number): void {
    const health = this.#next(index);
    const seen = observeSignal(toSignal(said), health, this.#now);
    if (seen !== null) observeSeen(health, seen, this.#now, HEALTH_LIMITS);
    assess(health, this.#now, HEALTH_LIMITS);
  }

  #next(index: number): HealthState {
    this.#now += 1;
    const health = this.#healths[Math.floor(index / 6) % SESSIONS];
    if (health === undefined) throw new Error(`there is no session for signal ${String(index)}`);
    return health;
  }
}

function judging(lines: readonly string[]): Side {
  const seen = lines.map((line) => observe(JSON.parse(line) as TraceEvent, "UTC"));
  const sessions = new Sessions();
  return {
    more(times) {
      for (let index = 0; index < times; index += 1) sessions.hear(seen[index % seen.length] ?? [], index);
    },
    close: () => undefined,
  };
}

function judgingWithKeys(lines: readonly string[]): Side {
  const events = lines.map((line) => JSON.parse(line) as TraceEvent);
  const sessions = new Sessions();
  return {
    more(times) {
      for (let index = 0; index < times; index += 1) {
        const event = events[index % events.length];
        if (event !== undefined) sessions.hear(observe(event, "UTC"), index);
      }
    },
    close: () => undefined,
  };
}

function hearingLive(lines: readonly string[]): Side {
  const said = lines.map((line) => saidLive(JSON.parse(line) as TraceEvent));
  const sessions = new Sessions();
  return {
    more(times) {
      for (let index = 0; index < times; index += 1) sessions.hearSaid(said[index % said.length], index);
    },
    close: () => undefined,
  };
}

/** The same words as a driver hands them on. */
function saidLive({ kind, name, args, result, ok, call_id: callId, tokens }: TraceEvent): unknown {
  switch (kind) {
    case "tool_call":
      return { kind, name, args: JSON.stringify(args), callId };
    case "tool_result":
      return { kind, name, text: result, ok, callId };
    case "assistant":
      return { kind: "message", from: "agent", text: result };
    default:
      return { kind: "usage", tokensIn: tokens, tokensOut: 1 };
  }
}

/** What an agent says in a session, without chance: each of the six lines of a step differs from the last ones. */
function sampleLines(): string[] {
  const lines: string[] = [];
  for (let step = 0; lines.length < SIGNALS; step += 1) {
    const file = `src/part-${String(step % 50)}/module-${String(step)}.ts`;
    const body =
      `${String(step)}: export const value${String(step)} = compute(${String(step * 7)});\n`.repeat(
        1 + (step % 60),
      );
    const rows: object[] = [
      {
        kind: "assistant",
        result: `Now I look at ${file} to see how value ${String(step)} is computed. It may be wrong.`,
      },
      { kind: "tool_call", name: "Read", args: { file_path: file }, call_id: `a${String(step)}` },
      { kind: "tool_result", name: "Read", result: body, ok: true, call_id: `a${String(step)}` },
      {
        kind: "tool_call",
        name: "Bash",
        args: { command: `npm test -- ${file}` },
        call_id: `b${String(step)}`,
      },
      {
        kind: "tool_result",
        name: "Bash",
        result: `ran ${String(step)} tests in ${String(step * 3)} ms\n${body.slice(0, 300)}`,
        ok: step % 7 !== 0,
        call_id: `b${String(step)}`,
      },
      { kind: "usage", tokens: 1_000 + step },
    ];
    for (const row of rows) lines.push(JSON.stringify({ t_ms: lines.length, ...row }));
  }
  return lines;
}
