import { useSearch } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { inboxOf, type InboxItem } from "../../data/documents.ts";
import { useApi } from "../../data/use-query.ts";
import { en } from "../../text/en.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useNarrow } from "../../ui/use-media.ts";
import { InboxBulk } from "./inbox-bulk.tsx";
import { InboxDetail } from "./inbox-detail.tsx";
import { itemKey } from "./inbox-items.ts";
import { InboxRow } from "./inbox-row.tsx";
import { useInboxKeys } from "./use-inbox-keys.ts";
import { useInbox } from "./use-inbox.ts";

/** What waits for a person: what exactly, since when, and what can be done. */
export function InboxScreen(): ReactElement {
  const { data, error, refresh } = useApi("listInbox", {});
  const items = inboxOf(data);
  return (
    <>
      <div className="row">
        <h1>{en.inbox.title}</h1>
        {items !== undefined && <span className="muted num">{en.inbox.of(items.length)}</span>}
      </div>
      {error !== null && <Problem error={error} onAgain={refresh} />}
      {items === undefined && error === null && <Skeleton rows={8} />}
      {items?.length === 0 && (
        <EmptyState title={en.inbox.empty} command={en.inbox.emptyCommand}>
          {en.inbox.emptyText}
        </EmptyState>
      )}
      {items !== undefined && items.length > 0 && <InboxItems items={items} />}
    </>
  );
}

function InboxItems({ items }: { readonly items: readonly InboxItem[] }): ReactElement {
  const search = useSearch({ strict: false });
  const isNarrow = useNarrow();
  const box = useInbox(items, "item" in search ? search.item : undefined);
  const { found, key, shown, hidden, chosen, later, now } = box;
  const keys = useInboxKeys({ ...box, active: found });
  const detail =
    found === undefined ? null : (
      <InboxDetail
        key={key}
        item={found}
        field={box.field}
        onField={box.openField}
        later={later}
        now={now}
        act={keys}
      />
    );
  return (
    <>
      {chosen.length > 0 && <InboxBulk items={chosen} later={later} onClear={box.clear} />}
      <div className="inbox">
        <ul className="inbox-list panel" aria-label={en.inbox.list}>
          {shown.map((item) => {
            const isActive = itemKey(item) === key;
            return (
              <InboxRow
                key={itemKey(item)}
                item={item}
                isActive={isActive}
                isSelected={chosen.includes(item)}
                hiddenUntil={later.until(itemKey(item), now)}
                onOpen={() => box.go(item)}
                onSelect={() => box.toggle(item)}
              >
                {isNarrow && isActive ? detail : null}
              </InboxRow>
            );
          })}
          {hidden.length > 0 && (
            <li className="panel-body">
              <button
                type="button"
                className="link"
                aria-expanded={box.isLaterOpen}
                onClick={() => box.openLater(!box.isLaterOpen)}
              >
                {en.inbox.later.hidden(hidden.length)}
              </button>
            </li>
          )}
        </ul>
        {!isNarrow && detail}
      </div>
    </>
  );
}
