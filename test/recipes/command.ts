import type { Recipe } from "./recipe.ts";

export const command: Recipe = {
  heading: "Add a command",
  steps: [
    (copy) =>
      copy.write(
        "src/cli/commands/see/wave.ts",
        `import type { Command } from "commander";
import type { Invocation } from "../../shell/invocation.ts";
import { EXIT, examples, type Bind } from "../../shell/define-command.ts";

export function addWave(parent: Command, bind: Bind): void {
  parent
    .command("wave")
    .summary("greet")
    .description("Prints a greeting.")
    .addHelpText("after", examples(["wave", "greet"], ["wave --json", "greet a program"]))
    .action(bind(wave));
}

function wave({ output }: Invocation): Promise<number> {
  output.line("hello");
  return Promise.resolve(EXIT.done);
}
`,
      ),
    (copy) =>
      copy.before(
        "src/cli/shell/command-tree.ts",
        '  { names: ["why"]',
        '  { names: ["wave"], add: async () => (await import("../commands/see/wave.ts")).addWave },\n',
      ),
    (copy) => copy.run("env", "UPDATE_SNAPSHOTS=1", "node", "test/cli/help.unit.ts"),
  ],
  asked: [],
  tests: ["test/cli/help.unit.ts", "test/cli/shell/command-tree.unit.ts"],
};
