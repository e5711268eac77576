/** A constant of the product from which other parts derive, and the tests that notice when one of its entries is gone. */
export interface Registry {
  readonly file: string;
  readonly name: string;
  readonly tests: readonly string[];
}

const events = ["test/model/events/events.unit.ts"];
const folds = ["test/fold/every-event.unit.ts", "test/golden.unit.ts"];
const tables = ["test/registries/tables.unit.ts"];
const documents = ["test/decide/state-documents.unit.ts"];

export const REGISTRIES: readonly Registry[] = [
  {
    file: "src/model/agent/kinds/registry.ts",
    name: "AGENTS",
    tests: ["test/model/agent/registry.unit.ts", "test/registries/drivers.unit.ts"],
  },
  {
    file: "src/all-drivers.ts",
    name: "HEADLESS_AGENTS",
    tests: ["test/registries/drivers.unit.ts"],
  },
  { file: "src/all-drivers.ts", name: "drivers", tests: ["test/registries/drivers.unit.ts"] },
  {
    file: "src/agents/tmux/find-program.ts",
    name: "KNOWN_PROGRAMS",
    tests: ["test/registries/drivers.unit.ts"],
  },
  ...[
    ["events/events.ts", "EVENTS"],
    ["events/proposal-events.ts", "PROPOSAL_EVENTS"],
    ["events/scrub-events.ts", "SCRUB_EVENTS"],
    ["events/flow-events.ts", "FLOW_EVENTS"],
    ["events/rule-events.ts", "RULE_EVENTS"],
    ["events/limit-events.ts", "LIMIT_EVENTS"],
    ["events/notice-events.ts", "NOTICE_EVENTS"],
    ["events/health-events.ts", "HEALTH_EVENTS"],
    ["events/program-events.ts", "PROGRAM_EVENTS"],
    ["events/shared-resource-events.ts", "SHARED_RESOURCE_EVENTS"],
    ["events/shared-resource-events.ts", "AFFECTED_RUN_EVENTS"],
    ["events/gate-events.ts", "GATE_EVENTS"],
    ["events/workspace-events.ts", "WORKSPACE_EVENTS"],
    ["host/clock.ts", "CLOCK_EVENTS"],
    ["host/store-resource.ts", "STORE_EVENTS"],
  ].map(([file = "", name = ""]) => ({ file: `src/model/${file}`, name, tests: events })),
  ...[
    ["evolve.ts", "EVOLVE"],
    ["run/evolve-alarm.ts", "evolveAlarm"],
    ["run/evolve-clock.ts", "evolveClock"],
    ["run/evolve-deaths.ts", "evolveDeaths"],
    ["run/evolve-escalation.ts", "evolveEscalation"],
    ["attempt/evolve-attempt.ts", "evolveAttempt"],
    ["program/evolve-program.ts", "evolveProgram"],
    ["effect/evolve-effect.ts", "evolveEffect"],
    ["health/evolve-ladder.ts", "evolveLadder"],
    ["health/evolve-triage.ts", "evolveTriage"],
    ["gate/evolve-gate.ts", "evolveGate"],
    ["gate/evolve-policy.ts", "evolvePolicy"],
    ["gate/evolve-hook.ts", "evolveHook"],
    ["gate/evolve-guard.ts", "evolveGuard"],
    ["gate/evolve-seal.ts", "evolveSeal"],
    ["resource/evolve-limits.ts", "evolveLimits"],
    ["resource/evolve-shared-resources.ts", "evolveGrounded"],
    ["step/evolve-step.ts", "evolveStep"],
    ["step/evolve-flow.ts", "evolveFlow"],
    ["step/evolve-proposal.ts", "evolveProposal"],
    ["workspace/evolve-checkpoint.ts", "evolveCheckpoint"],
    ["workspace/evolve-commit.ts", "evolveCommit"],
    ["workspace/evolve-drift.ts", "evolveBinding"],
    ["workspace/evolve-drift.ts", "evolveDrift"],
    ["workspace/evolve-overlap.ts", "evolveOverlap"],
    ["workspace/evolve-step-tree.ts", "evolveStepTree"],
    ["workspace/evolve-workspace.ts", "evolveWorkspace"],
  ].map(([file = "", name = ""]) => ({ file: `src/fold/${file}`, name, tests: folds })),
  { file: "src/fold/after-person.ts", name: "AFTER_PERSON", tests: ["test/fold/after-person.unit.ts"] },
  { file: "src/model/requests/blocked.ts", name: "BLOCKED_REASONS", tests: documents },
  { file: "src/decide/recovery/recovery.ts", name: "RECOVERIES", tests: documents },
  { file: "src/decide/recovery/recovery.ts", name: "GUIDANCE", tests: documents },
  { file: "src/decide/recovery/recovery-choices.ts", name: "OTHER_CHOICES", tests: documents },
  {
    file: "src/decide/recovery/recovery-choices.ts",
    name: "DOES",
    tests: [...documents, "test/decide/recovery/recovery-choices.unit.ts"],
  },
  { file: "src/decide/recovery/state-table.ts", name: "STATE_MEANINGS", tests: documents },
  { file: "src/decide/recovery/state-table.ts", name: "STOP_MEANINGS", tests: documents },
  { file: "src/decide/recovery/state-table.ts", name: "STATE_TABLE", tests: documents },
  { file: "src/decide/dispatch/stop-kind.ts", name: "STOP_OF_BLOCKED", tests: tables },
  { file: "src/decide/requests/who-may.ts", name: "AGENTS_MAY", tests: tables },
  { file: "src/model/fault.ts", name: "FAULT_CODES", tests: tables },
  {
    file: "src/model/requests/requests.ts",
    name: "requestVariants",
    tests: [...documents, ...tables],
  },
  { file: "src/model/effects/effects.ts", name: "effectVariants", tests: tables },
  { file: "src/model/effects/workspace-effects.ts", name: "WORKSPACE_EFFECTS", tests: tables },
  { file: "src/cli/shell/command-tree.ts", name: "COMMANDS", tests: ["test/cli/help.unit.ts"] },
  { file: "src/cli/shell/define-command.ts", name: "EXIT_OF_FAULT", tests: tables },
  { file: "src/cli/shell/define-command.ts", name: "EXIT_OF_STATUS", tests: tables },
  { file: "src/cli/print/progress-lines.ts", name: "NOT_SHOWN", tests: ["test/cli/print/progress.unit.ts"] },
  { file: "src/api/routes/route-paths.ts", name: "ROUTE_PATHS", tests: ["test/api/contract.unit.ts"] },
  { file: "src/api/server/problem.ts", name: "STATUS_OF_FAULT", tests: tables },
  { file: "src/views/text/event-kinds.ts", name: "EVENT_KINDS", tests: tables },
];
