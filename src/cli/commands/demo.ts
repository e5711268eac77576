import type { Command } from "commander";
import { showExamples, type Bind } from "../define-command.ts";
import type { Invocation } from "../invocation.ts";

export function addDemo(parent: Command, bind: Bind): void {
  const command = parent
    .command("demo")
    .summary("watch a run survive a crash of its agent and a kill of its supervisor")
    .description(
      "Plays a run of three steps in a throw-away git repository: the scripted agent crashes, the supervisor is killed with SIGKILL, and the run is brought home. Takes about ten seconds and needs no network.",
    )
    .action(bind(demo));
  showExamples(
    command,
    ["demo", "the whole story, told as it happens"],
    ["demo --json", "what came out, as one document"],
  );
}

async function demo(call: Invocation): Promise<number> {
  const { playDemo } = await import("../demo-story.ts");
  return playDemo(call);
}
