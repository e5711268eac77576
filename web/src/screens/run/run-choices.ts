import type { CommandChoice } from "../../ui/commands/command-buttons.tsx";
import type { RunDocument } from "./run-document.ts";

/**
 * What can be pressed for a run as it stands. Of a blocked one these are Holdfast's own ways out; an approval carries the
 * digest that is shown. Otherwise what its state allows.
 */
export function headChoices(run: RunDocument): readonly CommandChoice[] {
  const { blocked, next, supervision } = run;
  if (blocked !== null && blocked.choices.length > 0) return blocked.choices;
  const start = supervision?.state === "none" ? supervision.command : null;
  return [start, next].flatMap((command, at, all) =>
    command === null || all.indexOf(command) !== at ? [] : [{ command }],
  );
}

/** What its state allows at any time. */
export function stateCommands({ status, run, supervision }: RunDocument): readonly string[] {
  const of = (verb: string): string => `holdfast ${verb} ${run}${storeOf(supervision?.command ?? null)}`;
  switch (status) {
    case "running":
    case "queued":
      return [of("pause"), of("cancel")];
    case "paused":
      return [of("cancel")];
    default:
      return [];
  }
}

/** As commands of this store name it, where they have to. */
const storeOf = (command: string | null): string => {
  const named = / --store (?:'[^']*'|\S+)/.exec(command ?? "")?.[0];
  return named ?? "";
};
