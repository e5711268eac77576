import type { Command } from "commander";
import type { Invocation } from "../../shell/invocation.ts";
import { examples, type Bind } from "../../shell/define-command.ts";
import { MISSION } from "./mission-work.ts";

/** Replaces what is left of a mission. */
export function addReplan(parent: Command, bind: Bind): void {
  const command = parent
    .command("replan")
    .summary("replace what is left of a mission after a failure")
    .description(
      "The file's workstreams take the place of those that have failed or were never launched, at most twice. What is done, at work or left out must be in the file as it is; the history of runs stays. Refused, with the reason: nothing_failed, replans_exhausted, workstream_changed, repository_changed, accepting.",
    )
    .argument("<FILE>", "the mission's file, with other workstreams for what is left")
    .option("--name <name>", "the mission's name, instead of the file's")
    .option("--trust", "trust what the repositories' files name, as it is now (see docs/trust.md)")
    .action(
      bind(async (call: Invocation, file: string, options: { name?: string; trust?: boolean }) =>
        (await import("../../mission/start-mission.ts")).replanMission(call, file, options),
      ),
    );
  command.addHelpText(
    "after",
    examples(
      ["mission replan shop.yaml", "the rest of the mission that is called shop"],
      ["mission replan rest.yaml --name shop", "by another file"],
    ),
  );
}

/** Pushes what was accepted in clones. */
export function addPush(parent: Command, bind: Bind): void {
  const command = parent
    .command("push")
    .summary("push accepted work to where its repositories were cloned from")
    .description(
      "For repositories that the mission's file names by URL: pushes the branch that holds the accepted work, by your own git and never by force. Nothing is pushed unless you ask for it here.",
    )
    .argument("[NAME]", MISSION)
    .action(
      bind(async (call: Invocation, name: string | undefined) =>
        (await import("../../mission/push-mission.ts")).pushMission(call, name),
      ),
    );
  command.addHelpText(
    "after",
    examples(
      ["mission push", "the only mission"],
      ["mission push shop --json", "for programs: which repositories were pushed"],
    ),
  );
}
