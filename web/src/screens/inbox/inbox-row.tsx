import type { ReactElement, ReactNode } from "react";
import type { InboxItem } from "../../data/documents.ts";
import { en } from "../../text/en.ts";
import { STATUS_SHAPES } from "../../ui/status-of.ts";
import { reasonText } from "../../ui/reason-text.ts";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { visibleLine } from "../../ui/untrusted-text.ts";
import { markOf } from "./inbox-items.ts";

export function InboxRow(props: {
  readonly item: InboxItem;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly hiddenUntil: number | null;
  readonly onOpen: () => void;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}): ReactElement {
  const { item, isActive, isSelected, hiddenUntil, onOpen, onSelect, children } = props;
  const mark = markOf(item);
  return (
    <li className={`inbox-row ${isActive ? "inbox-row-active" : ""}`}>
      <div className="inbox-head">
        <input
          type="checkbox"
          aria-label={en.inbox.select(visibleLine(item.run, 80))}
          checked={isSelected}
          onChange={onSelect}
        />
        <button
          type="button"
          className="inbox-open"
          data-item
          tabIndex={isActive ? 0 : -1}
          aria-current={isActive}
          onClick={onOpen}
        >
          <span className="row">
            <span className={`status status-${mark}`} aria-hidden="true">
              <span className="status-shape">{STATUS_SHAPES[mark]}</span>
            </span>
            <span className="run-name clip grow">
              <Untrusted text={item.run} isLine charsMax={80} />
            </span>
            <span className="muted small">
              <Time at={item.since} />
            </span>
          </span>
          <span className="inbox-why small">
            <strong>{reasonText(item.reason)}</strong>
            <span className="muted clip">
              <Untrusted text={item.detail} isLine charsMax={160} />
            </span>
          </span>
          {hiddenUntil !== null && (
            <span className="muted small">
              {en.inbox.later.until} <Time at={hiddenUntil} as="clock" />
            </span>
          )}
        </button>
      </div>
      {children}
    </li>
  );
}
