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
  /** The same, once the run is completed for the first time. */
  readonly completed?: string;
  readonly ways: readonly Way[];
}

export interface Way {
  /** The first words of the choice, after `holdfast`. */
  readonly verb: string;
  /** What is mended first: a command line of the shell, in the run's folder. */
  readonly mend?: string;
  /** The command has to be given twice: what it says and leaves the first time (exit code 5) is mended in between. */
  readonly between?: string;
  /** Where the run stands afterwards. */
  readonly after: "completed" | "cancelled" | "blocked" | "awaiting_approval" | "paused" | "running";
  /** It is a new run that stands there; this one stays as it is. */
  readonly newRun?: true;
  /** A command line of the shell, in the run's folder, that says whether all is as described. */
  readonly shows?: string;
}

/** A program that the agent of a run is: it is started in the run's folder. */
const agent = (script: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...more,
  use: "command",
  sandbox: "none",
  command: ["sh", "-c", script],
});

export const WORKS = agent("echo done >> work");
/** Works for ever, unless somebody has put the file `go` beside its folder. */
const WAITS = agent('touch "$PWD.begun"; until test -e "$PWD.go"; do sleep 0.1; done; echo done >> work');
/** The session of a run's agent cannot be ended while its record is unreadable. */
const RECORD = 'record=$(ls "$HOLDFAST_HOME"/*-sessions/*"$RUN"*/identity)';
const HEAL = `${RECORD}; cp "$record.kept" "$record"`;
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
  needs_human: {
    how: "`reality.demand` is on, and nothing shows that the agent has done what it says",
    settings: { reality: { demand: true } },
    ways: [{ verb: "unblock", after: "completed" }, CANCEL],
  },
  rate_limited: {
    how: "the provider refuses with status 429, and `cooldown.resume` is off",
    agents: {
      dev: agent(
        'test -e mended && echo done >> work && exit; echo "HTTP 429: rate limit reached, retry after 3600 s" >&2; exit 1',
        { account: "limited" },
      ),
    },
    settings: { cooldown: { resume: false } },
    ways: [
      {
        verb: "retry",
        after: "running",
        shows: '! test -e work; holdfast cancel "$RUN" && holdfast unpause',
      },
      {
        verb: "unpause",
        mend: "touch mended",
        after: "blocked",
        shows: 'holdfast retry "$RUN" && holdfast wait "$RUN" && test -e work',
      },
      CANCEL,
    ],
  },
  crash_loop: {
    how: "the agent is ended by signals again and again (`crashes.perRun`)",
    agents: { dev: agent("test -e mended || kill -s SEGV $$; echo done >> work") },
    settings: { crashes: { count: 10, perRun: 2 }, attempts: { perStep: 5, sameFailure: 5 } },
    ways: [{ verb: "retry", mend: "touch mended", after: "completed" }, CANCEL],
  },
  conflict_loop: {
    how: "the user's branch changes the same file, and `accept` is refused three times",
    git: true,
    settings: { workspace: { isolation: "run" }, commit: { author: "Ada <ada@example.invalid>" } },
    completed:
      'echo theirs > work; git add work; git commit -q -m theirs; for nth in 1 2 3; do holdfast accept "$RUN"; done; true',
    ways: [
      {
        verb: "accept",
        between:
          'echo both > "$(git worktree list --porcelain | sed -n "s/^worktree //p" | grep -e "-trees/")/work"',
        after: "completed",
        shows: 'test "$(git show HEAD:work)" = both',
      },
      { verb: "reissue", after: "completed" },
      CANCEL,
    ],
  },
  unknown: {
    how: "a session whose record is damaged cannot be ended, and reaches its time limit",
    agents: { dev: WAITS },
    settings: { attempts: { perStep: 2, limitMs: 1_500 } },
    meanwhile: `${RECORD}; cp "$record" "$record.kept"; echo broken > "$record"`,
    ways: [
      { verb: "unblock", mend: `${HEAL}; ${GO}`, after: "completed" },
      { verb: "cancel", mend: HEAL, after: "cancelled" },
    ],
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

/** Reached in a test of their own, which pastes the same choices. */
export interface CauseElsewhere {
  readonly how: string;
  /** The file of the test, in `test/cli`. */
  readonly test: string;
  readonly ways: readonly Way[];
}

export const ELSEWHERE: Readonly<Partial<Record<BlockedReason, CauseElsewhere>>> = {
  in_doubt: {
    how: "the process of a program dies within a step that is done once (`effect: once`)",
    test: "ways-out-of-programs.e2e.ts",
    ways: [
      { verb: "why", after: "blocked" },
      { verb: "settle --done", after: "completed" },
      { verb: "settle --again", after: "completed" },
      CANCEL,
    ],
  },
  diverged: {
    how: "a program was changed, and asks for other steps than its journal holds",
    test: "ways-out-of-programs.e2e.ts",
    ways: [{ verb: "fork", after: "completed", newRun: true }, CANCEL],
  },
  journal_damaged: {
    how: "a byte of the journal is changed",
    test: "ways-out.e2e.ts",
    ways: [{ verb: "salvage", after: "blocked", newRun: true }],
  },
  quarantined: {
    how: "supervisors are ended by native code (SIGSEGV) in two turns of the run",
    test: "native-abort.e2e.ts",
    ways: [{ verb: "retry", mend: "what ended them is removed", after: "completed" }, CANCEL],
  },
  host_lost: {
    how: "the host that has the files of the run is killed, and another one shares its store on PostgreSQL",
    test: "fleet/takeover.e2e.ts",
    ways: [{ verb: "retry", after: "completed" }, CANCEL],
  },
  disk_full: {
    how: "the disk of the store is full while an agent works",
    test: "full-disk.e2e.ts",
    ways: [{ verb: "doctor", mend: "space is freed", after: "completed" }],
  },
};

/** What no test brings about with real parts yet; the rules that lead there have unit tests. */
export const NOT_REACHED: Readonly<Partial<Record<BlockedReason, string>>> = {};
