import type { Command } from "commander";
import type { SessionWish } from "../../continuous/read-session.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { examples, type Bind } from "../../shell/define-command.ts";

interface BeginOptions extends Omit<SessionWish, "file"> {
  readonly wait?: boolean;
  readonly trust?: boolean;
}

const SESSION = "the session's name; may be left out where there is only one";

/** Goal after goal: begins a session, and the commands around one. */
export function addContinuous(parent: Command, bind: Bind): void {
  const command = parent
    .command("continuous")
    .summary("work goal after goal from a list, a folder or a command")
    .description(
      "Begins a continuous session: the supervisor works goal after goal in the background, each in a run of its own, within one budget. FILE is a YAML list of goals, with the session's settings (see docs/continuous.md). Begun again, a session that is at work, paused or blocked is left as it is.",
    )
    .argument("[FILE]", "a YAML or JSON file with `goals:`, and settings of the session")
    .option(
      "--source <source>",
      "goals from a folder of goal files, or command:COMMAND that prints JSON Lines",
    )
    .option("--name <name>", "the session's name, instead of the file's")
    .option("--agent <name>", "for goals that name none")
    .option("--flow <file>", "for goals that name none")
    .option(
      "--check <command>",
      "a command that must pass before a goal counts as done; may be given several times",
      (check: string, before: readonly string[] = []) => [...before, check],
    )
    .option("--concurrency <count>", "goals at work at once")
    .option("--on-blocked <policy>", "pause (default): wait for you; continue: go on with other goals")
    .option("--on-failed <policy>", "stop (default): end the session; skip: go on with the next goal")
    .option("--idle <policy>", "end (default), wait, poll or plan: what to do when no goal is left")
    .option("--vision <file>", "what a planner goes by, who is asked for the next goals then (--idle plan)")
    .option("--in-place", "work in your folder itself")
    .option("--trust", "trust what the repository's files name, as it is now (see docs/trust.md)")
    .option("--wait", "wait until the session has ended or needs somebody")
    .action(
      bind(async (call: Invocation, file: string | undefined, options: BeginOptions) =>
        (await import("../../continuous/begin-session.ts")).beginSession(call, { file, ...options }),
      ),
    );
  addStatus(command, bind);
  addList(command, bind);
  addAsks(command, bind);
  addSkip(command, bind);
  command.addHelpText(
    "after",
    examples(
      ["continuous goals.yaml --agent demo", "every goal of the file, one after the other"],
      [
        "continuous --source goals/ --name night --idle poll",
        "a folder of goal files, looked at again and again",
      ],
      [
        "continuous --source 'command:./next-goals' --on-failed skip",
        "goals that a command prints as JSON Lines",
      ],
    ),
  );
}

function addStatus(parent: Command, bind: Bind): void {
  parent
    .command("status")
    .summary("where a session stands, what blocks it, and what it has spent")
    .argument("[NAME]", SESSION)
    .addHelpText(
      "after",
      examples(
        ["continuous status", "the only session, or the newest"],
        ["continuous status night --json", "for programs: every goal with its run"],
      ),
    )
    .action(
      bind(async (call: Invocation, name: string | undefined) =>
        (await import("../../continuous/ask-session.ts")).showSession(call, name),
      ),
    );
}

function addList(parent: Command, bind: Bind): void {
  parent
    .command("list")
    .summary("list the sessions of the store")
    .addHelpText(
      "after",
      examples(["continuous list", "newest first"], ["continuous list --json", "for programs"]),
    )
    .action(
      bind(async (call: Invocation) => (await import("../../continuous/ask-session.ts")).listSessions(call)),
    );
}

const ASKS = [
  {
    kind: "pause",
    summary: "start no other goal; runs at work go on",
    description: "Starts no other goal until `continuous resume`. Runs at work go on to their end.",
  },
  {
    kind: "resume",
    summary: "go on with a session that was paused or stopped",
    description:
      "Goes on with a session that you paused or stopped. One that is blocked by a run goes on by itself once you unblock the run: until then this says `still blocked` and changes nothing.",
  },
  {
    kind: "stop",
    summary: "stop a session: nothing starts, and its runs at work are paused",
    description:
      "Stops a session, whatever its schedule says, also after restarts: nothing of it starts until `continuous resume`. Its runs at work are paused, and their conversations kept.",
  },
] as const;

function addAsks(parent: Command, bind: Bind): void {
  for (const { kind, summary, description } of ASKS) {
    parent
      .command(kind)
      .summary(summary)
      .description(description)
      .argument("[NAME]", SESSION)
      .addHelpText(
        "after",
        examples(
          [`continuous ${kind}`, "the only session"],
          [`continuous ${kind} night --json`, "for programs: how the session stands after it"],
        ),
      )
      .action(
        bind(async (call: Invocation, name: string | undefined) =>
          (await import("../../continuous/ask-session.ts")).askSession(call, name, { kind }),
        ),
      );
  }
}

function addSkip(parent: Command, bind: Bind): void {
  parent
    .command("skip")
    .summary("leave a goal out; its run is cancelled")
    .argument("<GOAL>", "the goal's id, as `continuous status` shows it")
    .option("--session <name>", SESSION)
    .addHelpText(
      "after",
      examples(
        ["continuous skip mail-3", "the session goes on with the next goal"],
        ["continuous skip mail-3 --session night", "where there are several sessions"],
      ),
    )
    .action(
      bind(async (call: Invocation, goal: string, { session }: { readonly session?: string }) =>
        (await import("../../continuous/ask-session.ts")).askSession(call, session, { kind: "skip", goal }),
      ),
    );
}
