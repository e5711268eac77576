import { useState } from "react";
import type { InboxItem } from "../../data/documents.ts";
import { useNow } from "../../ui/clock.ts";
import type { OpenField } from "./inbox-props.ts";
import { itemKey } from "./inbox-items.ts";
import { useLater, type LaterItems } from "./use-later.ts";

interface Inbox {
  /** The item that is shown in full. */
  readonly found: InboxItem | undefined;
  readonly key: string | null;
  readonly shown: readonly InboxItem[];
  /** Those that are not wanted now. */
  readonly hidden: readonly InboxItem[];
  readonly chosen: readonly InboxItem[];
  readonly later: LaterItems;
  readonly now: number;
  readonly field: OpenField | null;
  readonly isLaterOpen: boolean;
  readonly openField: (field: OpenField | null) => void;
  readonly openLater: (isOpen: boolean) => void;
  readonly go: (item: InboxItem) => void;
  readonly toggle: (item: InboxItem) => void;
  readonly clear: () => void;
}

const MINUTE_MS = 60_000;

/**
 * Which items are shown, which one in full, and which are selected. `wanted` names the question, or the run, whose item
 * comes first; links of notices name the question.
 */
export function useInbox(items: readonly InboxItem[], wanted: string | undefined): Inbox {
  const later = useLater();
  const now = Math.floor(useNow() / MINUTE_MS) * MINUTE_MS;
  const [active, activate] = useState<string | null>(null);
  const [field, openField] = useState<OpenField | null>(null);
  const [selected, select] = useState<ReadonlySet<string>>(new Set());
  const [isLaterOpen, openLater] = useState(false);
  const hidden = items.filter((item) => later.until(itemKey(item), now) !== null);
  const shown = isLaterOpen ? items : items.filter((item) => !hidden.includes(item));
  const found =
    shown.find((item) => itemKey(item) === active) ??
    items.find(({ id }) => id !== null && id === wanted) ??
    shown.find(({ run }) => run === wanted) ??
    shown[0];
  return {
    found,
    key: found === undefined ? null : itemKey(found),
    shown,
    hidden,
    chosen: shown.filter((item) => selected.has(itemKey(item))),
    later,
    now,
    field,
    isLaterOpen,
    openField,
    openLater,
    go(item) {
      activate(itemKey(item));
      openField(null);
    },
    toggle(item) {
      const next = new Set(selected);
      if (!next.delete(itemKey(item))) next.add(itemKey(item));
      select(next);
    },
    clear: () => select(new Set()),
  };
}
