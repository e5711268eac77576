import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunSource, Started } from "../../../src/model/flow/bindings.ts";
import type { Effect } from "../../../src/model/effects/effects.ts";
import { distrusted } from "../../../src/runtime/work/mend-trees.ts";

const SOURCE: RunSource = { agents: [] };

/** What the trust is asked about for an effect of this kind; undefined where it is not asked at all. */
function asked(effect: object): Started | undefined {
  let seen: Started | undefined;
  const trust = (_: RunSource, started: Started): null => {
    seen = started;
    return null;
  };
  assert.equal(distrusted({ trust }, SOURCE, effect as Effect), null);
  return seen;
}

test("P3 agents, hooks, reviewers, triage, checks and what gates run are compared with what was trusted right before they are started", () => {
  for (const kind of ["StartAgent", "RunHook", "RunInTree"])
    assert.deepEqual(asked({ kind, cwd: "/tree" }), { kind: "in tree", cwd: "/tree" }, kind);
  assert.deepEqual(asked({ kind: "AskReview", tree: "/tree" }), { kind: "in tree", cwd: "/tree" });
  assert.deepEqual(asked({ kind: "AskTriage" }), { kind: "apart" });
  for (const kind of ["RunCheck", "RunAtGate"])
    assert.deepEqual(
      asked({ kind, cwd: "/tree", command: "./x" }),
      { kind: "command", cwd: "/tree", command: "./x" },
      kind,
    );
  assert.equal(asked({ kind: "CommitWork", cwd: "/tree" }), undefined);
});

test("P3 what is not trusted is a failure that names it, and runs without a source of trust are not asked about", () => {
  const trust = (): string => "file x (changed)";
  const effect = { kind: "RunCheck", cwd: "/", command: "./x" } as Effect;
  assert.deepEqual(distrusted({ trust }, SOURCE, effect), {
    kind: "failed",
    terminal: true,
    text: "not trusted as it is now: file x (changed)",
  });
  assert.equal(distrusted({ trust }, null, effect), null);
});
