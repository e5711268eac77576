import type { DemoScriptInput } from "./demo-script.ts";

const SLOW_ACTS = 20;
const slowActs = Array.from({ length: SLOW_ACTS }, (_, index) => [
  { do: "sleep" as const, ms: 500 },
  {
    do: "progress" as const,
    text: `part ${String(index + 1)} of ${String(SLOW_ACTS)}`,
    pct: (100 * (index + 1)) / SLOW_ACTS,
  },
]).flat();

/** Scripts that come with Holdfast, by name. */
export const BUNDLED_SCRIPTS: Readonly<Record<string, DemoScriptInput>> = {
  /** Works and succeeds. */
  hello: {
    attempts: [
      [
        { do: "say", text: "I was asked: {task}" },
        { do: "write", file: "hello.txt", content: "{task}\n" },
        { do: "claim", ok: true, text: "wrote hello.txt" },
      ],
    ],
  },
  /** Does any step of the ready-made flows: writes its notes, and approves what it is asked to judge. */
  stages: {
    attempts: [
      [
        { do: "say", text: "I was asked: {task}" },
        { do: "write", file: "notes/{step}.md", content: "{task}\n" },
        { do: "write", file: "notes/{step}.json", content: '{ "approved": true, "findings": [] }\n' },
        { do: "claim", ok: true, text: "wrote notes/{step}.md" },
      ],
    ],
  },
  /** Dies in the middle of its first attempt and works on the second. */
  "crash-once": {
    attempts: [
      [
        { do: "say", text: "I was asked: {task}" },
        { do: "tool", name: "compile", args: "everything", result: "killed", ok: false },
        { do: "crash" },
      ],
      [
        { do: "say", text: "I was asked again: {task}" },
        { do: "write", file: "hello.txt", content: "{task}\n" },
        { do: "claim", ok: true, text: "wrote hello.txt at the second attempt" },
      ],
    ],
  },
  /** Takes ten seconds and tells how far it is. */
  slow: { attempts: [[...slowActs, { do: "claim", ok: true, text: "all parts done" }]] },
  /** Never succeeds. */
  fails: {
    attempts: [
      [
        { do: "say", text: "I was asked: {task}" },
        { do: "error", text: "the tests still fail" },
        { do: "exit", code: 1 },
      ],
    ],
  },
  /** Exits with 0 and has nothing to show for it. */
  "no-evidence": { attempts: [[{ do: "exit", code: 0 }]] },
};
