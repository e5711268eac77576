import { readFileSync } from "node:fs";
import path from "node:path";
import { Command } from "commander";
import { addAcceptance } from "./commands/acceptance.ts";
import { addAgents } from "./commands/agents.ts";
import { addAlarms } from "./commands/alarms.ts";
import { addAnswers } from "./commands/answers.ts";
import { addArchive } from "./commands/archive.ts";
import { addAssess } from "./commands/assess.ts";
import { addAttach } from "./commands/attach.ts";
import { addInvestigate } from "./commands/investigate.ts";
import { addChaos } from "./commands/chaos.ts";
import { addCheckpoints } from "./commands/checkpoints.ts";
import { addCompletion } from "./commands/completion.ts";
import { addConfig } from "./commands/config.ts";
import { addDemo } from "./commands/demo.ts";
import { addDiff } from "./commands/diff.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addDown } from "./commands/down.ts";
import { addEvents } from "./commands/events.ts";
import { addExport } from "./commands/export.ts";
import { addInbox } from "./commands/inbox.ts";
import { addInit } from "./commands/init.ts";
import { addLogs } from "./commands/logs.ts";
import { addMcp } from "./commands/mcp.ts";
import { addProposals } from "./commands/proposals.ts";
import { addReissue } from "./commands/reissue.ts";
import { addReplay } from "./commands/replay.ts";
import { addReport } from "./commands/report.ts";
import { addRequests } from "./commands/requests.ts";
import { addRun } from "./commands/run.ts";
import { addRuns } from "./commands/runs.ts";
import { addFork } from "./commands/fork.ts";
import { addSalvage } from "./commands/salvage.ts";
import { addStatus } from "./commands/status.ts";
import { addStop } from "./commands/stop.ts";
import { addTellings } from "./commands/tellings.ts";
import { addApprover } from "./commands/approver.ts";
import { addTrust } from "./commands/trust.ts";
import { addUnlock } from "./commands/unlock.ts";
import { addUnpause } from "./commands/unpause.ts";
import { addUp } from "./commands/up.ts";
import { addValidate } from "./commands/validate.ts";
import { addVerify } from "./commands/verify.ts";
import { addWait } from "./commands/wait.ts";
import { addWatch } from "./commands/watch.ts";
import { addWhy } from "./commands/why.ts";
import { showExamples, type AddCommand, type Bind } from "./define-command.ts";
import { packageFolder } from "./package-folder.ts";

/** In the order in which help lists them. */
const COMMANDS: readonly AddCommand[] = [
  addRun,
  addInit,
  addValidate,
  addUp,
  addDown,
  addStop,
  addUnpause,
  addStatus,
  addRuns,
  addWatch,
  addWait,
  addEvents,
  addLogs,
  addWhy,
  addReport,
  addRequests,
  addTellings,
  addAlarms,
  addAttach,
  addInvestigate,
  addInbox,
  addAnswers,
  addCheckpoints,
  addProposals,
  addReissue,
  addAcceptance,
  addTrust,
  addApprover,
  addVerify,
  addUnlock,
  addSalvage,
  addFork,
  addExport,
  addReplay,
  addDiff,
  addArchive,
  addAssess,
  addAgents,
  addMcp,
  addDoctor,
  addChaos,
  addConfig,
  addCompletion,
  addDemo,
];

export interface Writers {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** The whole command line; `bind` decides what happens when a command is called. */
export function commandTree(bind: Bind, write: Writers): Command {
  const program = new Command("holdfast")
    .description("Keeps long-running AI agents alive, honest and recoverable.")
    .version(version(), "--version", "print the version")
    .option("--json", "print one JSON document on stdout (JSON Lines for streams), and nothing else there")
    .option("--store <url>", "sqlite:PATH or postgres://…; else HOLDFAST_STORE, or in the state folder")
    .option(
      "--config <file>",
      "this configuration instead of the repository's; the only way to use one that is code",
    )
    .helpOption("-h, --help", "show help")
    .helpCommand("help [COMMAND]", "show help for a command")
    .configureHelp({ showGlobalOptions: true })
    // Errors are thrown, and told in one place for all commands.
    .configureOutput({ writeOut: write.out, writeErr: write.err, outputError: () => undefined })
    .exitOverride();
  showExamples(
    program,
    ['run "say hello" --agent demo', "start a run and watch it"],
    ["status", "where it stands"],
    ["why RUN", "how it came to be there"],
  );
  for (const add of COMMANDS) add(program, bind);
  return program;
}

function version(): string {
  const file = path.join(packageFolder(), "package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
