import type { ReactElement } from "react";
import { commandOrder } from "../../data/command-order.ts";
import { useSource } from "../../data/data-context.tsx";
import { useAct } from "../../data/use-act.ts";
import { ActionButton } from "../../ui/commands/action-button.tsx";
import { commandLabel } from "../../ui/commands/command-label.ts";
import { stateCommands } from "./run-choices.ts";
import type { RunDocument } from "./run-document.ts";

/** Buttons that are always there for a run at work: none of them is what should be pressed. */
export function StateButtons({ run }: { readonly run: RunDocument }): ReactElement | null {
  const { kind } = useSource();
  const { ask, isAsking } = useAct();
  const commands = stateCommands(run);
  if (kind === "file" || commands.length === 0) return null;
  const press = (command: string): void => {
    const order = commandOrder(command, run.run);
    if (order !== null) void ask(order);
  };
  return (
    <div className="action-row">
      {commands.map((command) => (
        <ActionButton
          key={command}
          command={command}
          tone={/^holdfast cancel /.test(command) ? "danger" : "normal"}
          isBusy={isAsking}
          onPress={() => press(command)}
        >
          {commandLabel(command)}
        </ActionButton>
      ))}
    </div>
  );
}
