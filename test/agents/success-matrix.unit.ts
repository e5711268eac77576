import assert from "node:assert/strict";
import { test } from "node:test";
import type { EffectOutcome } from "../../src/model/effects/effect-outcome.ts";
import { FlowRun, only } from "../decide/flow-run.ts";
import { SPEAKERS, type Speaker } from "./success-scenes.ts";

interface Scene {
  readonly name: string;
  readonly words: string;
  readonly check: "none" | "green" | "red to green";
  readonly changes: boolean;
  /** What must become of it; of one that has no word of its own what its files show. */
  readonly success: (speaker: Speaker) => boolean;
}

const never = (): boolean => false;
const always = (): boolean => true;
const speaks = ({ name }: Speaker): boolean => !name.startsWith("a shell");
/** Silence is the end of nobody who speaks, unless a check shows the work. */
const isMute = ({ name }: Speaker): boolean => name === "function" || name.startsWith("a ");

const SCENES: readonly Scene[] = [
  ...(
    [
      ["error in prose", "Ran into this error: the server fell over"],
      ["limit in prose", "Ran into this error: Rate limit exceeded"],
      ["refusal", "I can't help with that."],
    ] as const
  ).flatMap(([name, words]): Scene[] => [
    { name: `${name}, no check`, words, check: "none", changes: false, success: never },
    { name: `${name}, files changed`, words, check: "none", changes: true, success: never },
    { name: `${name}, green check`, words, check: "green", changes: false, success: never },
    { name: `${name}, red to green`, words, check: "red to green", changes: true, success: always },
  ]),
  { name: "empty answer", words: "", check: "none", changes: false, success: never },
  { name: "empty answer, files changed", words: "", check: "none", changes: true, success: isMute },
  { name: "empty answer, green check", words: "", check: "green", changes: false, success: never },
  { name: "nothing done, green check", words: "Done.", check: "green", changes: false, success: never },
  {
    name: "nothing to do, green check",
    words: "Nothing to do: it is there already.",
    check: "green",
    changes: false,
    success: speaks,
  },
  { name: "nothing done, no check", words: "", check: "none", changes: false, success: never },
  { name: "real work", words: "I wrote hello.txt.", check: "none", changes: true, success: always },
  { name: "real work, green check", words: "I wrote it.", check: "green", changes: true, success: always },
  {
    name: "red to green",
    words: "Fixed the Error: x.",
    check: "red to green",
    changes: true,
    success: always,
  },
  { name: "red to green in silence", words: "", check: "red to green", changes: true, success: always },
];

const kept = (digest: string): EffectOutcome => ({
  kind: "done",
  snapshot: { id: `s-${digest}`, digest, files: 1, branch: "main", commit: "c0", skipped: 0 },
});

function showed(verdict: "pass" | "fail"): EffectOutcome {
  const exit = { exitCode: verdict === "pass" ? 0 : 1, signal: null, timedOut: false };
  const output = { outputBytes: 0, digest: "", excerpt: "", durationMs: 5 };
  return { kind: "done", evidence: { command: "check", verdict, ...exit, ...output } };
}

/** One attempt at a step, as the journal would have it. */
function played({ spec, ends }: Speaker, { words, check, changes }: Scene): FlowRun {
  const checks = check === "none" ? {} : { checks: [{ run: "check" }] };
  const run = new FlowRun({ name: "f", steps: [{ name: "work", task: "do it", ...checks }] }, TRACKED);
  run.state.agents["dev"] = spec;
  if (check !== "none") run.settle("before/RunCheck", showed(check === "green" ? "pass" : "fail"));
  run.settle("TakeCheckpoint", kept("before"));
  run.settle("StartAgent", { kind: "done" });
  run.turn([{ type: "SignalsHeard", data: { attempt: "work#1", cursor: "9", signals: [...ends(words)] } }]);
  for (const step = run.state.steps["work"]; step?.started === 1 && step.status !== "succeeded";) {
    const kinds = Object.values(run.state.effects).map(({ kind }) => kind);
    if (kinds.includes("TakeCheckpoint")) run.settle("TakeCheckpoint", kept(changes ? "after" : "before"));
    else if (kinds.includes("RunCheck")) run.settle("RunCheck", showed("pass"));
    else break;
    if (step.status === "pending") break;
  }
  return run;
}
const TRACKED = { checkpoints: { when: "always" } };

for (const speaker of SPEAKERS)
  test(`B4 A5 G6 success matrix: ${speaker.name} has no false success and no false failure`, () => {
    const wrong = SCENES.flatMap((scene) => {
      const run = played(speaker, scene);
      const is = run.state.steps["work"]?.status === "succeeded";
      const [end] = only(run.events, "AttemptEnded");
      const isLimit = scene.name.startsWith("limit") && !scene.success(speaker);
      return [
        ...(is === scene.success(speaker)
          ? []
          : [`${scene.name}: ${is ? "success" : (end?.why ?? "no end")}`]),
        ...(isLimit && (end?.failure?.class !== "rate_limited" || end.charged)
          ? [`${scene.name}: charged`]
          : []),
      ];
    });
    assert.deepEqual(wrong, []);
  });
