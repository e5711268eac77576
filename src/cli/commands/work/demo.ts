import type { Command } from "commander";
import { examples, type Bind } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";

export function addDemo(parent: Command, bind: Bind): void {
  parent
    .command("demo")
    .summary("watch a run survive a crash, a kill, a loop and a rate limit")
    .description(
      "Plays a run of three steps in a throw-away git repository: the scripted agents crash, go round in circles and meet a limit of their provider, the supervisor is killed with SIGKILL, and the run is brought home. Takes about twenty seconds and needs no network.",
    )
    .option("--dashboard", "show it in a browser while it plays")
    .addHelpText(
      "after",
      examples(
        ["demo", "the whole story, printed as it happens"],
        ["demo --dashboard", "the same on a timeline, in a browser"],
        ["demo --json", "what came out, as one document"],
      ),
    )
    .action(bind(demo));
}

async function demo(call: Invocation, options: { readonly dashboard?: boolean }): Promise<number> {
  const { playDemo } = await import("../../demo/demo-story.ts");
  return playDemo(call, options);
}
