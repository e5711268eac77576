import type { Diagnosis } from "./diagnosis.ts";

/** What has to become of an agent under a fault. Each diagnosis that is made must be among these, and one has to be. */
export interface Expectation {
  /** None: nothing is to be made of it. */
  readonly diagnoses: readonly Diagnosis[];
  readonly ends: readonly string[];
  /** It may also come out of it without anybody noticing. */
  readonly unnoticed?: boolean;
  /** Where it is called stuck: within how many calls. */
  readonly callsMax?: number;
  /**
   * Where it is called stuck: at most so long after its limit has passed since its start, regardless of its screen
   * shows; twice as long as that limit where it was given a longer one, because it is slow to begin.
   */
  readonly lateMs?: number;
}

/** An agent that hides a fault, or comes out of it in a way of its own. */
export interface Exception extends Partial<Expectation> {
  readonly agents: readonly AgentName[];
  readonly because: string;
}

export interface ExpectedUnder extends Expectation {
  readonly but?: readonly Exception[];
}

/** What was expected of one agent, in words too. */
export interface Expected extends Expectation {
  readonly words: string;
}

export function expectationOf({ expected }: { readonly expected: ExpectedUnder }, agent: string): Expected {
  const { but = [], ...usual } = expected;
  const exception = but.find(({ agents }) => agents.some((name) => name === nameOf(agent)));
  const whole = { ...usual, ...exception };
  const nothing = whole.diagnoses.length === 0 || whole.unnoticed === true ? ["nothing"] : [];
  const made = [...nothing, ...whole.diagnoses].join(" or ");
  const bounds = [
    ...(whole.callsMax === undefined ? [] : [`within ${String(whole.callsMax)} calls`]),
    ...(whole.lateMs === undefined
      ? []
      : [`within ${String(whole.lateMs / 1_000)} s of its limit, or twice that limit`]),
  ].map((bound) => `, ${bound}`);
  const why = exception === undefined ? "" : ` (${exception.because})`;
  return { ...whole, words: `${made}${bounds.join("")}${why}` };
}

/** An agent's name without its version. */
export type AgentName =
  | "claude"
  | "codex"
  | "opencode"
  | "gemini"
  | "codex-acp"
  | "opencode acp"
  | "claude in tmux"
  | "gemini in tmux"
  | "qwen --acp"
  | "goose acp"
  | "kilo acp"
  | "pi in tmux";
const nameOf = (agent: string): string => agent.replace(/ \d[\d.]*/, "");

export interface Found {
  readonly diagnoses: readonly Diagnosis[];
  readonly end: string;
  readonly stuck: { readonly calls: number; readonly ms: number } | null;
  /** For how long it may be silent. */
  readonly silenceMs: number;
}

/** In what a cell differs from what was expected of it. */
export function misjudged(found: Found, expected: Expectation): string[] {
  const { diagnoses, ends, unnoticed = false, callsMax = Infinity, lateMs = Infinity } = expected;
  const wrong = found.diagnoses.filter((one) => !diagnoses.includes(one));
  const { stuck, silenceMs } = found;
  return [
    ...(wrong.length === 0 ? [] : [`diagnosed ${wrong.join(", ")}`]),
    ...(diagnoses.length > 0 && !unnoticed && found.diagnoses.length === 0 ? ["not diagnosed"] : []),
    ...(ends.includes(found.end) ? [] : [`ended ${found.end} and not ${ends.join(" or ")}`]),
    ...(stuck !== null && stuck.calls > callsMax ? [`found only after ${String(stuck.calls)} calls`] : []),
    ...(stuck !== null && stuck.ms > silenceMs + Math.max(lateMs, 2 * silenceMs)
      ? [`found only after ${String(stuck.ms)} ms`]
      : []),
  ];
}
