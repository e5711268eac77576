import type { Command } from "commander";
import type { Invocation } from "../../shell/invocation.ts";
import { examples, type Bind } from "../../shell/define-command.ts";
import { addApprove, addAutopilot, addLaunch, ask, MISSION } from "./mission-work.ts";
import { addPush, addReplan } from "./mission-plan.ts";

/** Workstreams over several repositories: begins a mission, and the commands around one. */
export function addMission(parent: Command, bind: Bind): void {
  const command = parent
    .command("mission")
    .summary("work on several repositories, and accept all of it together")
    .description(
      "A mission has workstreams over several repositories, each done by a run of its own; what one delivers reaches those that need it. Nothing is taken into a branch before all of it was approved together and can be taken in everywhere (see docs/missions.md).",
    );
  addStart(command, bind);
  addReplan(command, bind);
  addLooks(command, bind);
  addLaunch(command, bind);
  addAutopilot(command, bind);
  addApprove(command, bind);
  addPush(command, bind);
  addAsks(command, bind);
  addParts(command, bind);
  command.addHelpText(
    "after",
    examples(
      ["mission start shop.yaml", "checks the file and its repositories, and records the mission"],
      ["mission autopilot", "launches what is ready, wave after wave"],
      ["mission diff", "all changes together, and the command that approves them"],
    ),
  );
}

function addStart(parent: Command, bind: Bind): void {
  const command = parent
    .command("start")
    .summary("begin a mission; nothing is launched yet")
    .description(
      "Checks the file, its repositories and what their files name, and records the mission. Repositories at a URL are cloned. The same file again changes nothing.",
    )
    .argument("<FILE>", "a YAML or JSON file with `repositories:` and `workstreams:`")
    .option("--name <name>", "the mission's name, instead of the file's")
    .option("--trust", "trust what the repositories' files name, as it is now (see docs/trust.md)")
    .action(
      bind(async (call: Invocation, file: string, options: { name?: string; trust?: boolean }) =>
        (await import("../../mission/start-mission.ts")).startMission(call, file, options),
      ),
    );
  command.addHelpText(
    "after",
    examples(
      ["mission start shop.yaml", "a mission that is called shop"],
      ["mission start shop.yaml --name shop-2", "the same work once more"],
    ),
  );
}

function addLooks(parent: Command, bind: Bind): void {
  const status = parent
    .command("status")
    .summary("where a mission stands, what its repositories say, and where they differ")
    .argument("[NAME]", MISSION)
    .action(
      bind(async (call: Invocation, name: string | undefined) =>
        (await import("../../mission/ask-mission.ts")).showMission(call, name),
      ),
    );
  status.addHelpText(
    "after",
    examples(
      ["mission status", "the only mission, or the newest"],
      ["mission status shop --json", "for programs: every workstream with its tries"],
    ),
  );
  const list = parent
    .command("list")
    .summary("list the missions of the store")
    .action(
      bind(async (call: Invocation) => (await import("../../mission/ask-mission.ts")).listMissions(call)),
    );
  list.addHelpText(
    "after",
    examples(["mission list", "newest first"], ["mission list --json", "for programs"]),
  );
  const diff = parent
    .command("diff")
    .summary("show the work of all workstreams together")
    .argument("[NAME]", MISSION)
    .action(
      bind(async (call: Invocation, name: string | undefined) =>
        (await import("../../mission/diff-mission.ts")).diffMission(call, name),
      ),
    );
  diff.addHelpText(
    "after",
    examples(
      ["mission diff", "in the order in which it is accepted"],
      ["mission diff shop --json", "for programs: a patch per workstream"],
    ),
  );
}

const ASKS = [
  { kind: "pause", summary: "launch and accept nothing more; runs at work go on" },
  { kind: "resume", summary: "go on with a mission that was paused or stopped" },
  { kind: "stop", summary: "stop a mission: nothing starts, and its runs at work are paused" },
  { kind: "reconcile", summary: "record what runs and repositories say, where the mission says otherwise" },
] as const;

function addAsks(parent: Command, bind: Bind): void {
  for (const { kind, summary } of ASKS) {
    const command = parent
      .command(kind)
      .summary(summary)
      .argument("[NAME]", MISSION)
      .action(bind((call: Invocation, name: string | undefined) => ask(call, name, { kind })));
    command.addHelpText(
      "after",
      examples(
        [`mission ${kind}`, "the only mission"],
        [`mission ${kind} shop --json`, "for programs: how the mission stands after it"],
      ),
    );
  }
}

function addParts(parent: Command, bind: Bind): void {
  const skip = parent
    .command("skip")
    .summary("leave a workstream out; its run is cancelled")
    .argument("<WORKSTREAM>", "as `mission status` shows it")
    .option("--mission <name>", MISSION)
    .action(
      bind((call: Invocation, workstream: string, { mission }: { mission?: string }) =>
        ask(call, mission, { kind: "skip", workstream }),
      ),
    );
  skip.addHelpText(
    "after",
    examples(
      ["mission skip docs", "the mission goes on without it"],
      ["mission skip docs --mission shop", "where there are several missions"],
    ),
  );
  const pass = parent
    .command("pass")
    .summary("let a barrier pass that waits for you, or whose condition does not hold")
    .argument("<BARRIER>", "as `mission status` shows it")
    .option("--mission <name>", MISSION)
    .action(
      bind((call: Invocation, barrier: string, { mission }: { mission?: string }) =>
        ask(call, mission, { kind: "pass", barrier }),
      ),
    );
  pass.addHelpText(
    "after",
    examples(
      ["mission pass designed", "what needs it may begin"],
      ["mission pass designed --mission shop", "where there are several missions"],
    ),
  );
}
