import type { ModelScriptInput } from "../../../../src/model/agent/model-script.ts";
import type { AgentName, Exception, ExpectedUnder } from "./fault-expectations.ts";
import { CONTENT } from "../scripts.ts";

type Turn = ModelScriptInput["turns"][number];

export interface ProviderFault {
  readonly name: string;
  readonly script: ModelScriptInput;
  readonly expected: ExpectedUnder;
}

/** The work is done in the turn that fails, so that it is done only where the fault was overcome. */
const spoilt = (faults: NonNullable<Turn["faults"]>): ModelScriptInput => ({
  turns: [
    { say: "I will look around.", acts: [{ run: "true" }] },
    { say: "I'll create hello.txt.", acts: [{ write: { file: "hello.txt", content: CONTENT } }], faults },
    { say: "Done. hello.txt is in place." },
  ],
});

const always = "always" as const;
const SILENT: readonly AgentName[] = ["opencode", "opencode acp"];
const OTHERS: readonly AgentName[] = ["qwen --acp", "goose acp", "kilo acp", "pi in tmux"];
const IN_TMUX: readonly AgentName[] = ["claude in tmux", "gemini in tmux"];
const GEMINI: readonly AgentName[] = ["gemini", "gemini in tmux"];

const COMPLETED = ["completed"];
const HELD = ["waits for the limit"];
const ASKED = ["blocked: retries_exhausted", "blocked: stuck"];
/** Silence is noticed within its limit and a few ticks; agents take their time to begin. */
const NOTICED_MS = 50_000;

const STALE = {
  diagnoses: ["stuck: no_progress"],
  ends: ["paused: stale"],
  lateMs: NOTICED_MS,
} as const satisfies ExpectedUnder;

/** Gone on with, opencode may say nothing at all before its provider answers. */
const hidden = (agents: readonly AgentName[], because: string): Exception => ({
  agents,
  because,
  ...STALE,
  diagnoses: [...STALE.diagnoses, "transient"],
  ends: [...STALE.ends, ...ASKED, "blocked: timeout"],
});

const STATUS_HIDDEN: Exception = {
  agents: ["claude in tmux"],
  because: "its screen says no more than “API error”",
  diagnoses: ["stuck: error_loop"],
  ends: ASKED,
};

/** The scripted model goes on behind an answer that it has half given, and a check finds the work missing. */
const HALF_KEPT = {
  because: "keeps half an answer as if it were whole",
  diagnoses: ["stuck: no_progress", "transient", "check_failed"],
  ends: ["blocked: retries_exhausted", "completed"],
} as const satisfies Omit<Exception, "agents">;

const LIMITED: ExpectedUnder = { diagnoses: ["limit"], ends: HELD };
const QUIETLY = "tries again in silence";

/** What an agent that calls the same again and again shows of it in a terminal. */
const LOOPS_ON_SCREENS: readonly Exception[] = [
  {
    agents: ["gemini in tmux"],
    because: "finds its own loop and asks what to do",
    diagnoses: ["person"],
    ends: ["waits for a person"],
  },
  {
    agents: ["claude in tmux", "pi in tmux"],
    because: "its calls are not told apart on a screen",
    diagnoses: STALE.diagnoses,
    ends: ["blocked: stuck", "paused: stale"],
  },
];

/** Ended in the middle of a turn, Gemini CLI keeps a history that its provider refuses, and begins again. */
const BROKEN = ["agent_failed"] as const;
const GEMINI_HUNG: Exception = {
  agents: GEMINI,
  because: "its history is broken when it is ended in the middle of a turn",
  diagnoses: ["stuck: no_progress", ...BROKEN],
  ends: ["paused: stale", ...ASKED],
};

const OUTAGE: ExpectedUnder = {
  diagnoses: ["transient", "stuck: error_loop"],
  ends: ASKED,
  but: [
    hidden(["qwen --acp", "kilo acp"], QUIETLY),
    {
      agents: ["goose acp"],
      because: "says it in prose, and an overload that is said is waited for like a limit",
      diagnoses: ["transient", "limit"],
      ends: [...ASKED, ...HELD],
    },
    hidden(SILENT, QUIETLY),
    {
      agents: ["codex-acp", "gemini", "gemini in tmux"],
      because: "says little between its tries",
      diagnoses: ["transient", "stuck: no_progress", "stuck: error_loop", ...BROKEN],
      ends: [...ASKED, "paused: stale"],
    },
  ],
};

const NOTHING_DONE: ExpectedUnder = {
  diagnoses: ["check_failed", "agent_failed", "contract_missed"],
  ends: ["blocked: retries_exhausted"],
};

const HUNG: ExpectedUnder = {
  ...STALE,
  but: [
    {
      agents: ["claude in tmux"],
      because: "draws what looks new for a while",
      diagnoses: STALE.diagnoses,
      ends: ["paused: stale", "blocked: stuck"],
    },
    hidden(["opencode"], "gone on with, it says nothing before its provider answers"),
    GEMINI_HUNG,
  ],
};

/** What a provider, or its model, does to an agent in the middle of its work. */
export const PROVIDER_FAULTS: readonly ProviderFault[] = [
  { name: "none", script: spoilt([]), expected: { diagnoses: [], ends: COMPLETED } },
  {
    name: "429 once, retry after 1 s",
    script: spoilt([{ kind: "rate_limit", retryAfterS: 1 }]),
    expected: {
      diagnoses: ["limit"],
      ends: COMPLETED,
      but: [
        {
          agents: [...SILENT, ...IN_TMUX, "codex-acp"],
          because: QUIETLY,
          diagnoses: ["stuck: no_progress"],
          unnoticed: true,
        },
        { agents: ["gemini"], because: "often says nothing of its first try", unnoticed: true },
        { agents: OTHERS, because: QUIETLY, unnoticed: true },
      ],
    },
  },
  {
    name: "429 for ever, retry after 600 s",
    script: spoilt([{ kind: "rate_limit", retryAfterS: 600, times: always }]),
    expected: { ...LIMITED, but: [hidden([...SILENT, ...OTHERS, "codex-acp"], QUIETLY)] },
  },
  {
    name: "429 for ever, no time named",
    script: spoilt([{ kind: "rate_limit", times: always }]),
    expected: {
      ...LIMITED,
      but: [
        hidden([...SILENT, "qwen --acp"], QUIETLY),
        STATUS_HIDDEN,
        { ...GEMINI_HUNG, agents: ["gemini in tmux"], because: QUIETLY },
      ],
    },
  },
  {
    name: "no quota left",
    script: spoilt([{ kind: "quota", times: always }]),
    expected: {
      diagnoses: ["terminal"],
      ends: ["failed"],
      but: [
        hidden([...SILENT, "qwen --acp"], QUIETLY),
        {
          agents: [...GEMINI, "codex-acp", "goose acp", "kilo acp", "pi in tmux"],
          because: "its provider, its adapter or the agent itself calls it a limit",
          diagnoses: ["limit"],
          ends: HELD,
        },
      ],
    },
  },
  {
    name: "usage limit, resets in an hour",
    script: spoilt([{ kind: "usage_limit", resetsInS: 3_600, times: always }]),
    expected: { ...LIMITED, but: [hidden([...SILENT, ...OTHERS], QUIETLY)] },
  },
  ...[500, 529].map((status) => ({
    name: `${String(status)} for ever`,
    script: spoilt([{ kind: "error", status, times: always }]),
    expected: OUTAGE,
  })),
  {
    name: "401",
    script: spoilt([{ kind: "error", status: 401, times: always }]),
    expected: {
      diagnoses: ["terminal", "stuck: error_loop"],
      ends: ["failed", "blocked: stuck"],
      but: [
        STATUS_HIDDEN,
        {
          agents: ["gemini in tmux"],
          because: "its screen cuts what it says",
          diagnoses: ["terminal", ...BROKEN],
          ends: ["failed", ...ASKED],
        },
      ],
    },
  },
  { name: "no answer", script: spoilt([{ kind: "hang", times: always }]), expected: HUNG },
  {
    name: "no answer once",
    script: spoilt([{ kind: "hang" }]),
    expected: {
      ...STALE,
      ends: COMPLETED,
      but: [{ ...GEMINI_HUNG, ends: COMPLETED }],
    },
  },
  {
    name: "half an answer, then silence",
    script: spoilt([{ kind: "hang_midstream", times: always }]),
    expected: {
      ...HUNG,
      but: [
        {
          agents: ["codex", "codex-acp", "claude", "claude in tmux", "kilo acp", ...SILENT],
          ...HALF_KEPT,
          ends: ["paused: stale", "blocked: stuck", "blocked: retries_exhausted"],
        },
        GEMINI_HUNG,
      ],
    },
  },
  {
    name: "stream cut once",
    script: spoilt([{ kind: "cut" }]),
    expected: {
      diagnoses: ["transient"],
      ends: COMPLETED,
      but: [
        { agents: ["codex", "codex-acp", "claude", "claude in tmux", "goose acp"], ...HALF_KEPT },
        { agents: [...SILENT, "pi in tmux"], because: QUIETLY, unnoticed: true },
        {
          agents: ["kilo acp"],
          because: QUIETLY,
          unnoticed: true,
          diagnoses: ["transient", "stuck: no_progress"],
        },
        { agents: GEMINI, because: GEMINI_HUNG.because, diagnoses: ["transient", ...BROKEN] },
      ],
    },
  },
  {
    name: "garbage",
    script: spoilt([{ kind: "garbage", times: always }]),
    expected: {
      diagnoses: ["transient", "agent_failed", "stuck: error_loop"],
      ends: ASKED,
      but: [
        hidden(SILENT, QUIETLY),
        {
          agents: ["goose acp", "pi in tmux"],
          because: "keeps nothing as if it were an answer",
          diagnoses: ["agent_failed", "check_failed"],
        },
      ],
    },
  },
  {
    name: "context overflow",
    script: spoilt([{ kind: "context_overflow", times: always }]),
    expected: {
      diagnoses: ["terminal", "agent_failed", "stuck: error_loop"],
      ends: ["failed", ...ASKED],
      but: [hidden(["opencode acp"], QUIETLY)],
    },
  },
  {
    name: "the same tool call for ever",
    script: { turns: [{ say: "I will look again.", acts: [{ run: "true" }], repeat: "forever" }] },
    expected: {
      diagnoses: ["stuck: tool_loop"],
      ends: ["blocked: stuck"],
      callsMax: 10,
      but: [
        {
          agents: ["gemini"],
          because: "finds its own loop and stops",
          diagnoses: ["stuck: tool_loop", "agent_failed"],
          ends: ASKED,
        },
        ...LOOPS_ON_SCREENS,
      ],
    },
  },
  {
    name: "arguments that do not fit, for ever",
    script: {
      turns: [
        {
          say: "I will look again.",
          acts: [{ run: "true" }],
          repeat: "forever",
          faults: [{ kind: "bad_arguments", times: always }],
        },
      ],
    },
    expected: {
      diagnoses: ["stuck: tool_loop", "stuck: error_loop"],
      ends: ["blocked: stuck"],
      callsMax: 10,
      but: [
        {
          agents: ["codex", "codex-acp"],
          because: "tells its words and not its failed calls",
          diagnoses: ["stuck: monologue", "stuck: no_progress"],
        },
        {
          agents: ["gemini", "kilo acp"],
          because: "finds its own loop and stops",
          diagnoses: ["stuck: tool_loop", "stuck: error_loop", "agent_failed"],
          ends: ASKED,
        },
        ...LOOPS_ON_SCREENS,
      ],
    },
  },
  {
    name: "refusal",
    script: spoilt([{ kind: "refusal", times: always }]),
    expected: NOTHING_DONE,
  },
  {
    name: "an empty answer",
    script: spoilt([{ kind: "empty", times: always }]),
    expected: NOTHING_DONE,
  },
];
