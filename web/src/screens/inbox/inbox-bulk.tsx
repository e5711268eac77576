import type { ReactElement } from "react";
import { commandOrder } from "../../data/command-order.ts";
import type { InboxItem } from "../../data/documents.ts";
import { useAct } from "../../data/use-act.ts";
import { en } from "../../text/en.ts";
import { ActionButton } from "../../ui/commands/action-button.tsx";
import { ActionGroup } from "../../ui/commands/action-group.tsx";
import { commandLabel } from "../../ui/commands/command-label.ts";
import { commonVerb, itemKey } from "./inbox-items.ts";
import { laterTime, type LaterItems } from "./use-later.ts";

/** Items of the same kind are settled together; each is asked for itself, with the digest that was shown of it. */
export function InboxBulk(props: {
  readonly items: readonly InboxItem[];
  readonly later: LaterItems;
  readonly onClear: () => void;
}): ReactElement {
  const { items, later, onClear } = props;
  const { isAsking, ask } = useAct();
  const common = commonVerb(items);
  const orders = (common?.commands ?? []).flatMap(
    (command, at) => commandOrder(command, items[at]?.run ?? null) ?? [],
  );
  const canSend = common !== null && orders.length === items.length;
  const send = async (): Promise<void> => {
    for (const order of orders) await ask(order);
    onClear();
  };
  const hide = (): void => {
    for (const item of items) later.hide(itemKey(item), laterTime("4h", Date.now()));
    onClear();
  };
  const commands = common?.commands.join("\n") ?? null;
  return (
    <section className="bulk" aria-label={en.inbox.bulk.label}>
      <div className="row">
        <strong role="status">{en.grid.selected(items.length)}</strong>
        <button type="button" className="link" onClick={onClear}>
          {en.runs.bulk.clear}
        </button>
      </div>
      {!canSend && <p className="muted">{en.inbox.bulk.mixed}</p>}
      <ActionGroup first={canSend ? commands : null}>
        {canSend && (
          <ActionButton command={commands} tone="main" isBusy={isAsking} onPress={() => void send()}>
            {en.inbox.bulk.verb(commandLabel(common.commands[0] ?? ""), items.length)}
          </ActionButton>
        )}
        <ActionButton command={null} onPress={hide}>
          {en.inbox.bulk.verb(`${en.inbox.verbs.later} (${en.inbox.later["4h"]})`, items.length)}
        </ActionButton>
      </ActionGroup>
    </section>
  );
}
