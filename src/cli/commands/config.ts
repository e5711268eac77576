import type { Command } from "commander";
import { showExamples, type Bind } from "../define-command.ts";
import { EXIT } from "../exit-codes.ts";
import type { Invocation } from "../invocation.ts";
import { jsonText } from "../../model/printable.ts";

export function addConfig(parent: Command, bind: Bind): void {
  const command = parent
    .command("config")
    .summary("about the configuration file")
    .description("About holdfast.yaml (or .yml, .json, .ts), which lies beside the code.");
  showExamples(
    command,
    ["config schema", "what may stand in it, as JSON Schema"],
    ["config schema > holdfast.schema.json", "for an editor that completes keys"],
    ["config schema --flow", "what may stand in a flow's file"],
  );
  const schema = command
    .command("schema")
    .summary("its JSON Schema")
    .description("Prints the JSON Schema of the configuration file, or of a flow's.")
    .option("--flow", "of a flow's file instead")
    .action(bind(printSchema));
  showExamples(
    schema,
    ["config schema", "every key, its default and its meaning"],
    ["config schema > holdfast.schema.json", "for an editor that completes keys"],
    ["config schema --flow > flow.schema.json", "the same for flows"],
  );
}

async function printSchema({ output }: Invocation, options: { readonly flow?: boolean }): Promise<number> {
  const { configJsonSchema } = await import("../../model/config.ts");
  const { flowJsonSchema } = await import("../../model/flow-file.ts");
  const schema = options.flow === true ? flowJsonSchema() : configJsonSchema();
  output.product(`${jsonText(schema, 2)}\n`);
  return EXIT.done;
}
