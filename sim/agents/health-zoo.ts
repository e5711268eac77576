import type { Pattern } from "../../src/model/agent/health.ts";
import type { Observed } from "../../src/model/agent/observed.ts";

/** One thing an agent does: signals as its driver would tell them, or what only a look at its screen shows. */
export interface Act {
  readonly afterMs: number;
  readonly signals?: readonly unknown[];
  readonly seen?: readonly Observed[];
}

export interface Behaviour {
  readonly name: string;
  readonly does: string;
  /** Null: it is healthy, however it looks. */
  readonly pattern: Pattern | null;
  /** Within so long after it began it is recognised. */
  readonly withinMs: number;
  /** After some honest work; without end, or until it is silent for ever. */
  readonly acts: () => Iterable<Act>;
}

const S = 1_000;
const MIN = 60 * S;

/** A word that no other number has. */
export const word = (nth: number): string =>
  [...nth.toString(26)].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join("");

const call = (name: string, args: string): unknown => ({ kind: "tool_call", name, args });
const result = (name: string, text: string, ok = true): unknown => ({ kind: "tool_result", name, ok, text });
const says = (text: string): unknown => ({ kind: "message", from: "agent", text });
const done = (name: string, args: string, text: string, ok = true): Act => ({
  afterMs: 10 * S,
  signals: [call(name, args), result(name, text, ok)],
});

function* forEver(act: (round: number) => Act): Iterable<Act> {
  for (let round = 0; ; round += 1) yield act(round);
}
const then = (...acts: readonly Act[]) =>
  function* (): Iterable<Act> {
    yield* acts;
  };
const cycle = (length: number) => (): Iterable<Act> =>
  forEver((round) => done("read", `${word(round % length)}.ts`, `the text of ${word(round % length)}`));
const screen = (key: string, atPrompt: boolean, afterMs: number): Act => ({
  afterMs,
  seen: [{ kind: "screen", key, atPrompt, limit: null }],
});

const TROUBLES: readonly Behaviour[] = [
  {
    name: "circles",
    does: "makes one call again and again and gets the same",
    pattern: "tool_loop",
    withinMs: MIN,
    acts: () => forEver(() => done("bash", "ls", "a b")),
  },
  {
    name: "cycle-of-three",
    does: "reads three files in turn, for ever",
    pattern: "tool_loop",
    withinMs: 2 * MIN,
    acts: cycle(3),
  },
  {
    name: "cycle-of-eight",
    does: "reads eight files in turn, for ever",
    pattern: "tool_loop",
    withinMs: 5 * MIN,
    acts: cycle(8),
  },
  {
    name: "same-edit",
    does: "makes one edit again and again; the file grows each time",
    pattern: "tool_loop",
    withinMs: MIN,
    acts: () => forEver((round) => done("edit", "a.ts: add a line", `a.ts has ${word(round)} lines`)),
  },
  {
    name: "rephrases",
    does: "asks the same in other words and gets one answer",
    pattern: "tool_loop",
    withinMs: 3 * MIN,
    acts: () => forEver((round) => done("bash", `grep -rn needle ${word(round)}`, "no matches at all")),
  },
  {
    name: "revisits",
    does: "looks at what it knows already, in changing order",
    pattern: "tool_loop",
    withinMs: 6 * MIN,
    acts: () =>
      forEver((round) => {
        const which = word((round * round + 3 * round) % 11);
        return done("read", `${which}.ts`, `the text of ${which}`);
      }),
  },
  {
    name: "same-failure",
    does: "fails in one way, with other numbers each time",
    pattern: "error_loop",
    withinMs: MIN,
    acts: () =>
      forEver((round) =>
        done("bash", "make", `/bin/bash: line ${String(11_000 + round)}: cc: not found`, false),
      ),
  },
  {
    name: "fails-differently",
    does: "makes one call that fails in another way each time",
    pattern: "error_loop",
    withinMs: MIN,
    acts: () => forEver((round) => done("bash", "make", `error: ${word(round + 500)} is wrong`, false)),
  },
  {
    name: "one-failure",
    does: "tries one thing after the other, and all end in one failure",
    pattern: "error_loop",
    withinMs: 2 * MIN,
    acts: () =>
      forEver((round) => done("bash", `${word(round + 700)} --build`, "fatal: no space left", false)),
  },
  {
    name: "failing-provider",
    does: "asks a provider that fails again and again, and tells each failure",
    pattern: "error_loop",
    withinMs: 2 * MIN,
    acts: () =>
      forEver(() => ({
        afterMs: 10 * S,
        signals: [{ kind: "error", text: "overloaded_error", status: 529 }],
      })),
  },
  {
    name: "edits-and-reverts",
    does: "makes an edit and takes it back, and again",
    pattern: "alternation",
    withinMs: 2 * MIN,
    acts: () =>
      forEver((round) =>
        done("edit", round % 2 === 0 ? "a.ts: x -> y" : "a.ts: y -> x", "the file was edited"),
      ),
  },
  {
    name: "monologue",
    does: "says the same again and again and does nothing",
    pattern: "monologue",
    withinMs: MIN,
    acts: () =>
      forEver(() => ({ afterMs: 10 * S, signals: [says("The tests are the key to this problem.")] })),
  },
  {
    name: "chants",
    does: "says one sentence many times in one message",
    pattern: "monologue",
    withinMs: MIN,
    acts: then({ afterMs: 10 * S, signals: [says("The key is the parser. ".repeat(12))] }),
  },
  {
    name: "promises",
    does: "announces what it will do and does not do it",
    pattern: "promise",
    withinMs: MIN,
    acts: () =>
      forEver((round) => ({
        afterMs: 10 * S,
        signals: [says(`Now I will run the ${word(round + 90)} tests.`)],
      })),
  },
  {
    name: "stops-early",
    does: "sits at its prompt with work left",
    pattern: "early_stop",
    withinMs: 2 * MIN,
    acts: () => forEver(() => screen("> ", true, 30 * S)),
  },
  {
    name: "full-context",
    does: "works on with a context that is full",
    pattern: "resource_exhaustion",
    withinMs: 3 * MIN,
    acts: () =>
      forEver((round) => ({
        afterMs: 20 * S,
        signals: [
          { kind: "context", usedPct: 97 },
          call("read", `${word(round + 900)}.ts`),
          result("read", `text ${word(round + 900)}`),
        ],
      })),
  },
  {
    name: "condenses",
    does: "condenses its context again and again",
    pattern: "resource_exhaustion",
    withinMs: 6 * MIN,
    acts: () => forEver(() => ({ afterMs: 30 * S, signals: [{ kind: "condensed" }] })),
  },
  {
    name: "hung-tool",
    does: "waits for a command that does not end",
    pattern: "timeout",
    withinMs: 63 * MIN,
    acts: then({ afterMs: 10 * S, signals: [call("bash", "npm run serve")] }),
  },
  {
    name: "hung-provider",
    does: "waits for a model that does not answer",
    pattern: "no_progress",
    withinMs: 17 * MIN,
    acts: then(),
  },
  {
    name: "hung-behind-a-spinner",
    does: "waits for a model that does not answer, and its screen keeps moving",
    pattern: "no_progress",
    withinMs: 17 * MIN,
    acts: () => forEver((round) => screen(`Working ${word(round)}`, false, 10 * S)),
  },
  {
    name: "keeps-alive",
    does: "waits for a model that does not answer, and prints signs of life",
    pattern: "no_progress",
    withinMs: 17 * MIN,
    acts: () => forEver(() => ({ afterMs: 15 * S, signals: [{ kind: "unknown", text: ": keep-alive" }] })),
  },
];

const HEALTHY: readonly Behaviour[] = [
  {
    name: "slow-compile",
    does: "compiles for 50 minutes, edits, and compiles again",
    pattern: null,
    withinMs: 0,
    acts: () =>
      forEver((round) =>
        round % 2 === 0
          ? { afterMs: 20 * S, signals: [call("bash", "make -j8"), ...editing(round)] }
          : { afterMs: 50 * MIN, signals: [result("bash", `built, ${word(round)} is left`)] },
      ),
  },
  {
    name: "polling",
    does: "asks every minute whether a build is done, and sleeps in between",
    pattern: null,
    withinMs: 0,
    acts: () =>
      forEver((round) => ({
        afterMs: MIN,
        signals: [
          call("bash", "sleep 60 && gh run view 17"),
          result("bash", `in progress, ${String(round)} minutes so far`),
        ],
      })),
  },
  {
    name: "long-thinking",
    does: "thinks for ten minutes before each step",
    pattern: null,
    withinMs: 0,
    acts: () =>
      forEver((round) => ({
        ...done("bash", `step ${word(round)}`, `news of ${word(round)}`),
        afterMs: 10 * MIN,
      })),
  },
  {
    name: "growing-log",
    does: "reads the end of a log that grows",
    pattern: null,
    withinMs: 0,
    acts: () =>
      forEver((round) => ({
        ...done("bash", "tail -n 3 build.log", `compiled ${word(round)}`),
        afterMs: 30 * S,
      })),
  },
  {
    name: "test-with-edits",
    does: "runs one test again and again, with an edit each time and other failures now and then",
    pattern: null,
    withinMs: 0,
    acts: () =>
      forEver((round) => ({
        afterMs: 40 * S,
        signals: [
          ...editing(round),
          call("bash", "npm test"),
          result("bash", `2 failing: ${word(Math.floor(round / 3) + 30)}`, false),
        ],
      })),
  },
  {
    name: "waits-for-a-person",
    does: "asks a person and waits for the answer",
    pattern: null,
    withinMs: 0,
    acts: then({ afterMs: 10 * S, signals: [{ kind: "question", askId: "q1", text: "Which port?" }] }),
  },
];

const editing = (round: number): unknown[] => [
  call("edit", `a.ts: ${word(round)} -> ${word(round + 1)}`),
  result("edit", `a.ts: replaced ${word(round)}`),
];

export const HEALTH_ZOO: readonly Behaviour[] = [...TROUBLES, ...HEALTHY];
