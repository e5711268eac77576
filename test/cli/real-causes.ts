import type { BlockedReason } from "../../src/model/requests/blocked.ts";

/**
 * How each blocked state is reached in earnest, and where each of its choices leads. `ways-out.e2e.ts` does all of it
 * with real files, git, processes and a shell; `docs/recovery.md` is generated from this table.
 */
export interface RealCause {
  /** What happens, for people. */
  readonly how: string;
  /** Steps of the flow; one that works where left out. */
  readonly flow?: Record<string, unknown>;
  readonly settings?: Record<string, unknown>;
  readonly budget?: Record<string, unknown>;
  readonly agents?: Record<string, Record<string, unknown>>;
  /** The folder is a git repository with one commit, and these files are in it. */
  readonly git?: boolean;
  readonly files?: Readonly<Record<string, string>>;
  /** A command line of the shell, for what a person does once the agent has begun; `$RUN` and `$DIR` are the run's. */
  readonly meanwhile?: string;
  readonly ways: readonly Way[];
}

export interface Way {
  /** The first words of the choice, after `holdfast`. */
  readonly verb: string;
  /** What is mended first: a command line of the shell, in the run's folder. */
  readonly mend?: string;
  /** Where the run stands afterwards. */
  readonly after: "completed" | "cancelled" | "blocked" | "awaiting_approval" | "paused";
  /** A command line of the shell, in the run's folder, that says whether all is as described. */
  readonly shows?: string;
}

/** A program that the agent of a run is: it is started in the run's folder. */
const agent = (script: string): Record<string, unknown> => ({
  use: "command",
  sandbox: "none",
  command: ["sh", "-c", script],
});

export const WORKS = agent("echo done >> work");
/** Works for ever, unless somebody has put the file `go` beside its folder. */
const WAITS = agent('touch "$PWD.begun"; until test -e "$PWD.go"; do sleep 0.1; done; echo done >> work');
const GO = 'touch "$DIR.go"';
const CANCEL: Way = { verb: "cancel", after: "cancelled" };
const gated = (gate: Record<string, unknown>): Record<string, unknown> => ({
  name: "way",
  steps: [{ name: "work", task: "t", agent: "dev", phase: "make" }],
  phases: [{ name: "make", gate: { name: "release", kind: "approval", ...gate } }],
});
const two = (first: string): Record<string, unknown> => ({
  name: "way",
  steps: [
    { name: "work", task: "t", agent: first },
    { name: "next", task: "t", agent: "dev", needs: ["work"] },
  ],
});
/** Between its steps nobody works, and somebody may do something. */
const CHECKED = {
  name: "way",
  steps: [
    {
      ...{ name: "work", task: "t", agent: "dev" },
      checks: [{ run: 'touch "$PWD.begun"; until test -e "$PWD.go"; do sleep 0.1; done' }],
    },
    { name: "next", task: "t", agent: "dev", needs: ["work"] },
  ],
};
const REJECT: Way = { verb: "reject", after: "awaiting_approval", shows: "test $(wc -l < work) -eq 2" };
const TRUST: readonly Way[] = [
  { verb: "trust --show-diff --dry-run", after: "blocked" },
  { verb: "trust", after: "completed", shows: "grep -q changed AGENTS.md" },
  { verb: "trust --undo", after: "completed", shows: "! grep -q changed AGENTS.md" },
  CANCEL,
];

/** Reached in earnest here. */
export const REAL_CAUSES: Readonly<Partial<Record<BlockedReason, RealCause>>> = {
  approval_transition: {
    how: "a phase of the flow has a gate that a person approves, and its steps are done",
    flow: gated({}),
    ways: [{ verb: "approve", after: "completed" }, REJECT, CANCEL],
  },
  approval_completion: {
    how: "`--approve completion`, and all steps are done",
    settings: { approve: { completion: true } },
    ways: [{ verb: "approve", after: "completed" }, REJECT, CANCEL],
  },
  dispatch_error: {
    how: "the program of the agent is not there",
    agents: { dev: { use: "command", sandbox: "none", command: ["./agent"] } },
    ways: [
      {
        verb: "retry",
        mend: 'printf "#!/bin/sh\\necho done >> work\\n" > agent; chmod +x agent',
        after: "completed",
      },
      CANCEL,
    ],
  },
  operator_escalation: {
    how: "`holdfast escalate RUN` while the agent works",
    agents: { dev: WAITS },
    meanwhile: 'holdfast escalate "$RUN" --note "look at this"',
    ways: [{ verb: "unblock", mend: GO, after: "completed" }, CANCEL],
  },
  retries_exhausted: {
    how: "the agent ends with exit code 1, as often as it may",
    agents: { dev: agent("test -e mended && echo done >> work") },
    settings: { attempts: { perStep: 1 } },
    ways: [{ verb: "retry", mend: "touch mended", after: "completed" }, CANCEL],
  },
  hook_block: {
    how: "a hook before dispatch ends with exit code 2",
    settings: { hooks: [{ name: "no", at: "before_dispatch", run: "test -e mended || exit 2" }] },
    ways: [
      { verb: "retry", mend: "touch mended", after: "completed" },
      { verb: "unblock", after: "completed", shows: "! test -e mended" },
      CANCEL,
    ],
  },
  hook_tamper: {
    how: "a hook writes to a protected file (`AGENTS.md`)",
    files: { "AGENTS.md": "be kind\n" },
    settings: {
      protected: { usual: true },
      hooks: [{ name: "writes", at: "before_dispatch", run: "echo changed >> AGENTS.md" }],
    },
    ways: TRUST,
  },
  budget_exhausted: {
    how: "the agent works for longer than the run's budget of time",
    agents: { dev: WAITS },
    budget: { timeMs: 1_500 },
    ways: [{ verb: "set", mend: GO, after: "completed" }, CANCEL],
  },
  policy_escalation: {
    how: "a policy with `then: escalate` forbids the agent that is bound",
    settings: { policies: [{ name: "not-dev", then: "escalate", forbidsAgent: "dev" }] },
    ways: [{ verb: "unblock", after: "completed" }, CANCEL],
  },
  timeout: {
    how: "the agent works for longer than an attempt may",
    agents: { dev: WAITS },
    settings: { attempts: { perStep: 1, limitMs: 1_500 } },
    ways: [
      { verb: "set", mend: GO, after: "completed" },
      { verb: "retry", mend: GO, after: "completed" },
      CANCEL,
    ],
  },
  gate_action_failed: {
    how: "a gate is approved, and its action ends with exit code 1",
    flow: gated({ action: { run: 'test -e "$PWD.go"' } }),
    meanwhile: 'holdfast approve "$RUN"',
    ways: [{ verb: "approve", mend: GO, after: "completed" }, CANCEL],
  },
  operator_commit_refused: {
    how: "somebody rewrites the commit that the run works on (`git commit --amend`), while no agent works",
    git: true,
    flow: CHECKED,
    settings: { drift: { when: "always" }, checks: { baseline: false } },
    meanwhile: `git tag before; git commit -q --amend -m other; ${GO}`,
    ways: [
      { verb: "reissue", after: "completed" },
      { verb: "unblock", mend: "git reset -q --soft before", after: "completed" },
      CANCEL,
    ],
  },
  drift: {
    how: "somebody commits while no agent works, and `drift.forward` says to ask",
    git: true,
    flow: CHECKED,
    settings: { drift: { when: "always", forward: "ask" }, checks: { baseline: false } },
    meanwhile: `echo x > theirs; git add theirs; git commit -q -m theirs; ${GO}`,
    ways: [{ verb: "reconcile", after: "completed" }, { verb: "reissue", after: "completed" }, CANCEL],
  },
  workspace_dirty: {
    how: "a filter of the user's git decides how a file is stored that the run changed in its worktree",
    git: true,
    files: { ".gitattributes": "*.bin filter=up\n" },
    settings: { workspace: { isolation: "run" }, commit: { author: "Ada <ada@example.invalid>" } },
    agents: { dev: agent("echo hello > a.bin") },
    ways: [
      {
        verb: "commit --with-filters",
        after: "completed",
        shows: 'test "$(git show "holdfast/$RUN:a.bin")" = HELLO',
      },
      CANCEL,
    ],
  },
  checkpoint_pending: {
    how: "the folder of the run is moved away while its agent works",
    agents: {
      dev: agent('echo done >> work; test -e "$PWD.moved" || { touch "$PWD.moved"; mv "$PWD" "$PWD.away"; }'),
    },
    ways: [
      { verb: "restore", after: "paused", shows: 'test -d "$DIR"' },
      { verb: "retry", mend: 'mv "$DIR.away" "$DIR"', after: "completed" },
      CANCEL,
    ],
  },
  stuck: {
    how: "steps are accepted that changed no file, delivered nothing and passed no check (`progress.turns`)",
    agents: { idle: { use: "function", module: "idle.mjs" }, dev: WORKS },
    files: { "idle.mjs": 'export default () => "done";\n' },
    flow: two("idle"),
    settings: { progress: { turns: 1 } },
    ways: [{ verb: "retry", after: "completed" }, CANCEL],
  },
  protected_files: {
    how: "a protected file (`AGENTS.md`) is changed while no agent works",
    files: { "AGENTS.md": "be kind\n" },
    agents: { dev: agent("test -e mended && echo done >> work") },
    settings: { attempts: { perStep: 1 }, protected: { usual: true } },
    meanwhile: 'echo changed >> AGENTS.md; touch mended; holdfast retry "$RUN"',
    ways: TRUST,
  },
};

/** Reached in earnest in a test of their own; here their agent declares them. */
export const ELSEWHERE: Readonly<Partial<Record<BlockedReason, string>>> = {
  conflict_loop: "two runs change the same file again and again: `test/cli/conflicts.e2e.ts`",
  in_doubt: "a process dies within a step that is done once: `test/loop/said-at-once.int.ts`",
  diverged: "a program asks for other steps than its journal holds: `test/loop/versions.int.ts`",
  journal_damaged: "a byte of the journal changes: here, and `test/journal/corruption.int.ts`",
  quarantined: "supervisors end twice in turns of the run: `test/cli/native-abort.e2e.ts`",
  disk_full: "the disk of the store is full: `test/cli/full-disk.e2e.ts`",
};

/** What no test brings about with real parts yet; the rules that lead there have unit tests. */
export const NOT_REACHED: Readonly<Partial<Record<BlockedReason, string>>> = {
  needs_human: "an agent has to ask a question; scripted agents do, and no real one is asked to",
  rate_limited: "a provider has to refuse, and `cooldown.resume` has to be off",
  crash_loop: "agents that crash make their host suspect, and hold up the other runs of the test",
  unknown: "a session has to survive every way to end it",
  host_lost: "runs are not yet moved between hosts, so no host can be lost",
};
