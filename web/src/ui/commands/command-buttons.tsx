import { useState, type ReactElement } from "react";
import { shellWord } from "../../../../src/model/text/command-text.ts";
import { commandOrder, PLACEHOLDERS } from "../../data/command-order.ts";
import { useData } from "../../data/data-context.tsx";
import { useAct } from "../../data/use-act.ts";
import { en } from "../../text/en.ts";
import { ActionButton } from "./action-button.tsx";
import { ActionGroup } from "./action-group.tsx";
import { commandLabel } from "./command-label.ts";
import { CommandText } from "./command-text.tsx";
import { WordsField } from "../words-field.tsx";

export interface CommandChoice {
  readonly command: string;
  readonly does?: string;
}

/**
 * A button for each way out that Holdfast offers, the safe one first. A command that leaves words to the person asks
 * for them below; one that can only be pasted is shown as it is.
 */
export function CommandButtons(props: {
  readonly run: string | null;
  readonly choices: readonly CommandChoice[];
}): ReactElement | null {
  const { run, choices } = props;
  const { source } = useData();
  const { isAsking, ask } = useAct();
  const [open, setOpen] = useState<CommandChoice | null>(null);
  if (choices.length === 0) return null;
  const isLive = source.kind === "live";
  const send = (command: string): void => {
    const order = commandOrder(command, run);
    if (order !== null) void ask(order);
    setOpen(null);
  };
  const press = (choice: CommandChoice): void => {
    if (placeholderOf(choice.command) === null) send(choice.command);
    else setOpen(choice);
  };
  const canSend = ({ command }: CommandChoice): boolean => isLive && commandOrder(command, run) !== null;
  const sent = choices.filter(canSend);
  const pasted = choices.filter((choice) => !canSend(choice));
  return (
    <div className="command-buttons">
      {sent.length > 0 && (
        <ActionGroup first={sent[0]?.command ?? null}>
          {sent.map((choice, at) => (
            <ActionButton
              key={choice.command}
              command={choice.command}
              tone={toneOf(choice, at)}
              isBusy={isAsking}
              onPress={() => press(choice)}
            >
              {commandLabel(choice.command)}
            </ActionButton>
          ))}
        </ActionGroup>
      )}
      {open !== null && (
        <WordsField
          label={open.does ?? en.act.yourWords}
          send={commandLabel(open.command)}
          onSend={(words) => send(open.command.replace(quoted(open.command), () => shellWord(words)))}
          onClose={() => setOpen(null)}
        />
      )}
      {pasted.length > 0 && (
        <ul className="pasted">
          {pasted.map(({ command, does }) => (
            <li key={command}>
              <span className="muted small">{does ?? en.act.onlyPaste}</span>
              <CommandText command={command} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const toneOf = ({ command }: CommandChoice, at: number): "main" | "danger" | "normal" =>
  at === 0 ? "main" : /^holdfast cancel /.test(command) ? "danger" : "normal";

const placeholderOf = (command: string): string | null =>
  PLACEHOLDERS.find((words) => command.includes(`'${words}'`)) ?? null;
const quoted = (command: string): string => `'${placeholderOf(command) ?? ""}'`;
