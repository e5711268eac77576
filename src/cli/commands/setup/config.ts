import type { Command } from "commander";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { jsonText } from "../../../model/text/printable.ts";

export function addConfig(parent: Command, bind: Bind): void {
  const command = parent
    .command("config")
    .summary("about the configuration file")
    .description(
      "About holdfast.yaml (or .yml, .json), which lies beside the code, and your own for settings of this host.",
    );
  command.addHelpText(
    "after",
    examples(
      ["config schema", "what may stand in it, as JSON Schema"],
      ["config show", "which files are read here, and what is ignored in them"],
      ["config schema > holdfast.schema.json", "for an editor that completes keys"],
      ["config schema --flow", "what may stand in a flow's file"],
    ),
  );
  command
    .command("schema")
    .summary("its JSON Schema")
    .description("Prints the JSON Schema of the configuration file, or of a flow's.")
    .option("--flow", "of a flow's file instead")
    .option("--host", "of your own file with the settings of this host instead")
    .addHelpText(
      "after",
      examples(
        ["config schema", "every key, its default and its meaning"],
        ["config schema > holdfast.schema.json", "for an editor that completes keys"],
        ["config schema --flow > flow.schema.json", "the same for flows"],
      ),
    )
    .action(bind(printSchema));
  command
    .command("show")
    .summary("which files are read here")
    .description(
      "Prints where the configuration of this folder comes from: the repository's file, your own file with the settings of this host, what is ignored in the repository, and whether what it names is trusted. Nothing is run.",
    )
    .option("--origin", "every setting with the file that it comes from")
    .addHelpText(
      "after",
      examples(
        ["config show", "for this folder"],
        ["config show --origin", "each setting, and whether it is a default, the repository's or yours"],
        ["config show --json", "as a document, with the settings of this host"],
      ),
    )
    .action(
      bind(async (call: Invocation, { origin = false }: { readonly origin?: boolean }) =>
        (await import("../../print/show-config.ts")).showConfig(call, origin),
      ),
    );
}

async function printSchema(
  { output }: Invocation,
  options: { readonly flow?: boolean; readonly host?: boolean },
): Promise<number> {
  const { configJsonSchema } = await import("../../../model/settings/config.ts");
  const { flowJsonSchema } = await import("../../../model/flow/flow-file.ts");
  const { hostConfigJsonSchema } = await import("../../../model/settings/host-config.ts");
  const { withDurations } = await import("../../config/written-durations.ts");
  const schema =
    options.flow === true
      ? flowJsonSchema()
      : options.host === true
        ? hostConfigJsonSchema()
        : configJsonSchema();
  output.product(`${jsonText(withDurations(schema), 2)}\n`);
  return EXIT.done;
}
