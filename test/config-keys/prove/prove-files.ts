import type { Config } from "../../../src/model/settings/config.ts";
import type { HeadFacts } from "../../../src/model/state/drift.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { chain, Life, MINUTE, REPOSITORY, SECOND } from "../life.ts";
import { prove } from "../proof.ts";
import { COMMIT } from "../default-outcome.ts";

/** The agent works, and sends output from time to time. */
function working(config: Config, ms: number, more: ConstructorParameters<typeof Life>[1] = {}): Life {
  const life = new Life(config, { cwd: REPOSITORY, ...more });
  for (
    const until = life.now + ms;
    life.now < until && life.state.status === "running";
    life.pass(10 * SECOND)
  )
    life.say({ kind: "progress", text: "on it" });
  return life;
}

const secondAt = (life: Life, kind: Parameters<Life["effectAt"]>[0]): number =>
  (life.effectAt(kind, 2) ?? NaN) - (life.effectAt(kind) ?? NaN);

const note = (life: Life): string =>
  life
    .ask({ kind: "checkpoint_note", attempt: "work#1", note: { done: "half", next: "rest" } })
    .split(":")[0] ?? "";

/** Somebody commits on top while no agent is at work. */
function committedOnTop(config: Config): string {
  let isMoved = false;
  const same: HeadFacts = { branch: "main", commit: COMMIT, relation: "same", files: [], count: 0 };
  const moved: HeadFacts = {
    ...same,
    commit: "b".repeat(40),
    relation: "forward",
    files: ["file"],
    count: 1,
  };
  const life = new Life(config, {
    cwd: REPOSITORY,
    answers: { LookAtHead: () => ({ kind: "done", head: isMoved ? moved : same }) },
  });
  life.ask({ kind: "pause" });
  life.say({ kind: "exit", how: "signal", signal: "SIGTERM" });
  isMoved = true;
  life.ask({ kind: "resume" });
  return life.stands;
}

/** Each look at protected files finds one that was changed, and undoes it. */
function tampered(config: Config): number {
  const finding = { path: "AGENTS.md", act: "edited" } as const;
  let looks = 0;
  const life = working(config, 60 * MINUTE, {
    answers: {
      GuardFiles: () => {
        const findings = (looks += 1) === 1 ? [] : [finding];
        return {
          kind: "done",
          guard: { trusted: "t1", paths: 1, findings, count: findings.length, undone: true },
        };
      },
    },
  });
  return life.all("ProtectedFilesChanged").length;
}

const GUARDED = { protected: { paths: ["gates/**"], everyMs: MINUTE } };
const APART = { workspace: { isolation: "run" } };

/** Work in a worktree that meets changes of others each time somebody wants it. */
function conflicting(config: Config): Life {
  const life = new Life(config, {
    cwd: REPOSITORY,
    answers: {
      AcceptWork: () => ({
        kind: "done",
        place: { kind: "unaccepted", cause: "conflict", files: ["src/a.ts"], why: "both changed it" },
      }),
      CompareWork: () => ({ kind: "done", overlap: { own: 4, peers: [] } }),
    },
  });
  return life.end(false, "no bread");
}

export const FILE_PROOFS = [
  prove(
    "checkpoints.when",
    ["auto", "never"],
    (config) => working(config, MINUTE).all("CheckpointTaken").length > 0,
    [true, false],
  ),
  prove(
    "checkpoints.everyMs",
    [MINUTE, 2 * MINUTE],
    (config) => secondAt(working(config, 10 * MINUTE), "TakeCheckpoint"),
    [MINUTE, 2 * MINUTE],
  ),
  prove(
    "checkpoints.keep",
    [1, 2],
    (config) => {
      const life = new Life(config, { cwd: REPOSITORY, steps: chain(3) });
      for (let nth = 0; nth < 3; nth += 1) life.end();
      return Object.keys(life.state.checkpoints).length;
    },
    // And the one that the run's changes are counted from.
    [2, 3],
  ),
  prove("checkpoints.noteChars", [7, 8], (config) => note(new Life(config)), ["refused", "done"]),
  prove(
    "drift.when",
    ["auto", "never"],
    (config) => working(config, MINUTE).effects("LookAtHead").length > 0,
    [true, false],
  ),
  prove(
    "drift.everyMs",
    [MINUTE, 2 * MINUTE],
    (config) => secondAt(working(config, 10 * MINUTE), "LookAtHead"),
    [MINUTE, 2 * MINUTE],
  ),
  prove("drift.forward", ["go_on", "ask"], committedOnTop, ["running", "blocked: drift"]),
  prove(
    "protected.everyMs",
    [MINUTE, 2 * MINUTE],
    (config) => secondAt(working(config, 10 * MINUTE), "GuardFiles"),
    [MINUTE, 2 * MINUTE],
    { protected: { paths: ["gates/**"] } },
  ),
  prove("protected.times", [2, 4], tampered, [2, 4], GUARDED),
  prove(
    "conflict.everyMs",
    [MINUTE, 2 * MINUTE],
    (config) => secondAt(working(config, 10 * MINUTE), "CompareWork"),
    [MINUTE, 2 * MINUTE],
    APART,
  ),
  prove(
    "conflict.times",
    [1, 2],
    (config) => {
      const life = conflicting(config);
      let times = 0;
      while (times < 5 && life.state.blocked === null) {
        times += 1;
        life.ask({ kind: "accept" });
      }
      return times;
    },
    [1, 2],
    APART,
  ),
  prove(
    "conflict.overlapPct",
    [10, 90],
    (config) => {
      const life = conflicting(config);
      life.ask({ kind: "accept" });
      return statusView(life.state, null).conflict?.commands[0];
    },
    ["holdfast accept run_1 --resolution merge", "holdfast reissue run_1 --reason conflict"],
    APART,
  ),
];
