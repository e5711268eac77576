import type { ReactElement } from "react";
import { commandOrder } from "../../data/command-order.ts";
import { en } from "../../text/en.ts";
import { ActionButton } from "../../ui/commands/action-button.tsx";
import { ActionGroup } from "../../ui/commands/action-group.tsx";
import { commandLabel } from "../../ui/commands/command-label.ts";
import { CommandText } from "../../ui/commands/command-text.tsx";
import { WordsField } from "../../ui/words-field.tsx";
import type { InboxDetailProps, OpenField } from "./inbox-props.ts";
import { itemKey, settingsOf, verbsOf, withSettings, withWords, type Choice } from "./inbox-items.ts";
import { LATER, laterTime } from "./use-later.ts";

const { verbs: words } = en.inbox;

/** The verbs of an item, each with its key and its command; words are asked for below, and never in a dialog. */
export function InboxVerbs(props: InboxDetailProps): ReactElement {
  const { item, field, onField, act } = props;
  const verbs = verbsOf(item);
  const { approve, reject, answer, edit, others } = verbs;
  const canSend = ({ command }: Choice): boolean => commandOrder(command, item.run) !== null;
  const opener = (name: OpenField) => () => onField(field === name ? null : name);
  const first = approve ?? answer ?? others.find(canSend) ?? null;
  const toneOf = (choice: Choice): "main" | "danger" | "normal" =>
    choice === first ? "main" : choice.command.startsWith("holdfast cancel ") ? "danger" : "normal";
  return (
    <div className="stack">
      <ActionGroup first={first?.command ?? null}>
        {approve !== null && (
          <ActionButton
            command={approve.command}
            tone="main"
            shortcut="a"
            isBusy={act.isAsking}
            onPress={() => act.send(approve.command)}
          >
            {words.approve}
          </ActionButton>
        )}
        {answer !== null && (
          <ActionButton
            command={answer.command}
            tone={toneOf(answer)}
            shortcut="Enter"
            onPress={opener("answer")}
          >
            {words.answer}
          </ActionButton>
        )}
        {edit !== null && (
          <ActionButton command={edit.choice.command} shortcut="e" onPress={opener("edit")}>
            {edit.of === "note" ? words.edit : words.editSettings}
          </ActionButton>
        )}
        {reject !== null && (
          <ActionButton command={reject.command} shortcut="r" onPress={opener("reject")}>
            {words.reject}
          </ActionButton>
        )}
        {others.filter(canSend).map((choice) => (
          <OtherButton key={choice.command} choice={choice} tone={toneOf(choice)} act={act} />
        ))}
        <ActionButton command={null} shortcut="n" onPress={opener("later")}>
          {words.later}
        </ActionButton>
      </ActionGroup>
      <VerbField {...props} />
      <Pasted choices={others.filter((choice) => !canSend(choice))} />
    </div>
  );
}

function OtherButton(props: {
  readonly choice: Choice;
  readonly tone: "main" | "danger" | "normal";
  readonly act: InboxDetailProps["act"];
}): ReactElement {
  const { choice, tone, act } = props;
  return (
    <ActionButton
      command={choice.command}
      tone={tone}
      isBusy={act.isAsking}
      onPress={() => act.send(choice.command)}
    >
      {commandLabel(choice.command)}
    </ActionButton>
  );
}

function Pasted({ choices }: { readonly choices: readonly Choice[] }): ReactElement | null {
  if (choices.length === 0) return null;
  return (
    <ul className="pasted">
      {choices.map(({ command, does }) => (
        <li key={command}>
          <span className="muted small">{does}</span>
          <CommandText command={command} />
        </li>
      ))}
    </ul>
  );
}

function VerbField(props: InboxDetailProps): ReactElement | null {
  const { item, field, onField, act } = props;
  const { reject, answer, edit } = verbsOf(item);
  const close = (): void => onField(null);
  const send = (command: string): void => {
    act.send(command);
    close();
  };
  if (field === "later") return <LaterField {...props} />;
  const asked = field === "answer" ? answer : field === "reject" ? reject : null;
  if (asked !== null && (field === "answer" || field === "reject"))
    return (
      <WordsField
        label={en.inbox.fields[field]}
        send={words[field]}
        onSend={(text) => send(withWords(asked.command, text))}
        onClose={close}
      />
    );
  if (field !== "edit" || edit === null) return null;
  const { choice, of } = edit;
  return (
    <WordsField
      label={of === "note" ? en.inbox.fields.edit : en.inbox.fields.editSettings}
      send={of === "note" ? words.edit : words.editSettings}
      initial={of === "note" ? "" : settingsOf(choice.command)}
      onSend={(text) =>
        send(of === "note" ? withWords(choice.command, text) : withSettings(choice.command, text))
      }
      onClose={close}
    />
  );
}

function LaterField({ item, onField, later, now }: InboxDetailProps): ReactElement {
  const key = itemKey(item);
  return (
    <div className="row row-wrap" role="group" aria-label={en.inbox.later.label}>
      <span className="muted">{en.inbox.later.label}</span>
      {LATER.map((name, at) => (
        <button
          key={name}
          type="button"
          className="button button-normal"
          autoFocus={at === 0}
          onClick={() => {
            later.hide(key, laterTime(name, Date.now()));
            onField(null);
          }}
        >
          {en.inbox.later[name]}
        </button>
      ))}
      {later.until(key, now) !== null && (
        <button type="button" className="link" onClick={() => later.show(key)}>
          {en.inbox.later.back}
        </button>
      )}
    </div>
  );
}
