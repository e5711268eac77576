import { Command } from "commander";
import { examples, type AddCommand, type Bind } from "./define-command.ts";
import { packageVersion } from "./package-folder.ts";

interface Entry {
  /** Of the commands that it adds. */
  readonly names: readonly string[];
  readonly add: () => Promise<AddCommand>;
}

/** In the order in which help lists them. A command brings most of what it works with: only the one called is read. */
export const COMMANDS: readonly Entry[] = [
  { names: ["run"], add: async () => (await import("../commands/work/run.ts")).addRun },
  {
    names: ["continuous"],
    add: async () => (await import("../commands/continuous/continuous.ts")).addContinuous,
  },
  { names: ["mission"], add: async () => (await import("../commands/mission/mission.ts")).addMission },
  { names: ["init"], add: async () => (await import("../commands/setup/init.ts")).addInit },
  { names: ["validate"], add: async () => (await import("../commands/setup/validate.ts")).addValidate },
  { names: ["up"], add: async () => (await import("../commands/work/up.ts")).addUp },
  { names: ["serve"], add: async () => (await import("../commands/serve.ts")).addServe },
  { names: ["dashboard"], add: async () => (await import("../commands/dashboard.ts")).addDashboard },
  { names: ["token"], add: async () => (await import("../commands/token.ts")).addToken },
  { names: ["down"], add: async () => (await import("../commands/work/down.ts")).addDown },
  { names: ["stop", "start"], add: async () => (await import("../commands/work/stop.ts")).addStop },
  { names: ["unpause"], add: async () => (await import("../commands/recover/unpause.ts")).addUnpause },
  { names: ["hosts"], add: async () => (await import("../commands/fleet/hosts.ts")).addHosts },
  { names: ["drain"], add: async () => (await import("../commands/fleet/drain.ts")).addDrain },
  { names: ["status"], add: async () => (await import("../commands/see/status.ts")).addStatus },
  { names: ["runs"], add: async () => (await import("../commands/see/runs.ts")).addRuns },
  { names: ["watch"], add: async () => (await import("../commands/see/watch.ts")).addWatch },
  { names: ["wait"], add: async () => (await import("../commands/work/wait.ts")).addWait },
  { names: ["events"], add: async () => (await import("../commands/see/events.ts")).addEvents },
  { names: ["logs"], add: async () => (await import("../commands/see/logs.ts")).addLogs },
  { names: ["why"], add: async () => (await import("../commands/see/why.ts")).addWhy },
  { names: ["report"], add: async () => (await import("../commands/see/report.ts")).addReport },
  {
    names: ["resume", "pause", "cancel", "retry", "reopen"],
    add: async () => (await import("../commands/decide/requests.ts")).addRequests,
  },
  {
    names: ["signal", "settle", "set"],
    add: async () => (await import("../commands/decide/signals.ts")).addSignals,
  },
  { names: ["alarm", "alarms"], add: async () => (await import("../commands/see/alarms.ts")).addAlarms },
  { names: ["attach"], add: async () => (await import("../commands/work/attach.ts")).addAttach },
  {
    names: ["investigate"],
    add: async () => (await import("../commands/recover/investigate.ts")).addInvestigate,
  },
  { names: ["inbox"], add: async () => (await import("../commands/see/inbox.ts")).addInbox },
  {
    names: ["approve", "reject", "unblock", "escalate", "tell"],
    add: async () => (await import("../commands/decide/answers.ts")).addAnswers,
  },
  {
    names: ["checkpoint", "checkpoints", "changes", "restore", "handoff"],
    add: async () => (await import("../commands/see/checkpoints.ts")).addCheckpoints,
  },
  {
    names: ["proposals", "proposal"],
    add: async () => (await import("../commands/decide/proposals.ts")).addProposals,
  },
  {
    names: ["reissue", "reconcile"],
    add: async () => (await import("../commands/recover/reissue.ts")).addReissue,
  },
  {
    names: ["accept", "commit"],
    add: async () => (await import("../commands/decide/acceptance.ts")).addAcceptance,
  },
  { names: ["trust"], add: async () => (await import("../commands/decide/trust.ts")).addTrust },
  { names: ["approver"], add: async () => (await import("../commands/decide/approver.ts")).addApprover },
  { names: ["verify"], add: async () => (await import("../commands/files/verify.ts")).addVerify },
  { names: ["unlock"], add: async () => (await import("../commands/recover/unlock.ts")).addUnlock },
  { names: ["salvage"], add: async () => (await import("../commands/recover/salvage.ts")).addSalvage },
  { names: ["scrub"], add: async () => (await import("../commands/files/scrub.ts")).addScrub },
  { names: ["fork"], add: async () => (await import("../commands/work/fork.ts")).addFork },
  { names: ["export"], add: async () => (await import("../commands/files/export.ts")).addExport },
  { names: ["view"], add: async () => (await import("../commands/files/view.ts")).addView },
  { names: ["replay"], add: async () => (await import("../commands/files/replay.ts")).addReplay },
  { names: ["diff"], add: async () => (await import("../commands/see/diff.ts")).addDiff },
  { names: ["archive"], add: async () => (await import("../commands/files/archive.ts")).addArchive },
  {
    names: ["backup", "restore-store"],
    add: async () => (await import("../commands/files/backup.ts")).addBackup,
  },
  { names: ["gc"], add: async () => (await import("../commands/files/gc.ts")).addGc },
  { names: ["assess"], add: async () => (await import("../commands/setup/assess.ts")).addAssess },
  { names: ["agents"], add: async () => (await import("../commands/setup/agents.ts")).addAgents },
  { names: ["mcp"], add: async () => (await import("../commands/setup/mcp.ts")).addMcp },
  { names: ["doctor"], add: async () => (await import("../commands/setup/doctor.ts")).addDoctor },
  { names: ["chaos"], add: async () => (await import("../commands/setup/chaos.ts")).addChaos },
  { names: ["config"], add: async () => (await import("../commands/setup/config.ts")).addConfig },
  { names: ["completion"], add: async () => (await import("../commands/setup/completion.ts")).addCompletion },
  { names: ["demo"], add: async () => (await import("../commands/work/demo.ts")).addDemo },
];

export interface Writers {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/**
 * The command line; `bind` decides what happens when a command is called. Of the arguments only a command that they name
 * is needed, and for the version none; without one, and for help and completion, it is the whole.
 */
export async function commandTree(
  bind: Bind,
  write: Writers,
  argv: readonly string[] = [],
): Promise<Command> {
  const program = new Command("holdfast")
    .description("Keeps long-running AI agents alive, honest and recoverable.")
    .version(packageVersion(), "--version", "print the version")
    .option("--json", "print one JSON document on stdout (JSON Lines for streams), and nothing else there")
    .option("--store <url>", "sqlite:PATH or postgres://…; else HOLDFAST_STORE, or in the state folder")
    .option(
      "--config <file>",
      "this configuration instead of the repository's; the only way to use one that is code",
    )
    .option(
      "--server <url>",
      "through the server of another machine; else HOLDFAST_SERVER (see docs/remote.md)",
    )
    .option("--token-file <file>", "the token for --server; else HOLDFAST_TOKEN")
    .option("--ca-file <file>", "the certificate authority of --server; else HOLDFAST_CA_FILE")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [COMMAND]", "show help for a command")
    .configureHelp({ showGlobalOptions: true })
    // Errors are thrown, and reported in one place for all commands.
    .configureOutput({ writeOut: write.out, writeErr: write.err, outputError: () => undefined })
    .exitOverride();
  program.addHelpText(
    "after",
    examples(
      ['run "say hello" --agent demo', "start a run and watch it"],
      ["status", "where it stands"],
      ["why RUN", "how it came to be there"],
    ),
  );
  for (const add of await Promise.all(calledBy(argv).map((entry) => entry.add()))) add(program, bind);
  return program;
}

const WITH_VALUE: readonly string[] = ["--store", "--config", "--server", "--token-file", "--ca-file"];
const NEEDS_ALL = "completion";

function calledBy(argv: readonly string[]): readonly Entry[] {
  const word = argv.find((one, at) => !one.startsWith("-") && !WITH_VALUE.includes(argv[at - 1] ?? ""));
  if (word === undefined && argv.includes("--version")) return [];
  const called = COMMANDS.find(({ names }) => names.includes(word ?? ""));
  return called === undefined || word === NEEDS_ALL ? COMMANDS : [called];
}
