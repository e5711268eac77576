import { useCallback, useEffect, useRef, useState, type KeyboardEvent, type RefObject } from "react";

export interface GridSelection {
  readonly selected: ReadonlySet<string>;
  readonly toggle: (key: string) => void;
  readonly set: (keys: readonly string[]) => void;
}

interface GridKeysWish<Row> {
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly onOpen: (row: Row) => void;
  readonly selection: GridSelection | undefined;
  readonly box: RefObject<HTMLElement | null>;
  readonly rowHeight: number;
}

interface GridKeys {
  /** The row that Tab leads to. */
  readonly active: number;
  readonly activate: (at: number) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

const isTyping = (target: EventTarget): boolean =>
  target instanceof HTMLInputElement && target.type !== "checkbox";

/** Moves through the rows of a grid, opens and selects them by keys. */
export function useGridKeys<Row>(wish: GridKeysWish<Row>): GridKeys {
  const { rows, keyOf, onOpen, selection, box, rowHeight } = wish;
  const [active, activate] = useState(0);
  const wanted = useRef<number | null>(null);
  const inside = Math.min(active, Math.max(0, rows.length - 1));
  useEffect(() => {
    if (wanted.current === null) return;
    box.current?.querySelector<HTMLElement>(`[data-row="${String(wanted.current)}"]`)?.focus();
    wanted.current = null;
  });
  const go = useCallback(
    (at: number) => {
      const next = Math.max(0, Math.min(rows.length - 1, at));
      const element = box.current;
      if (element !== null) scrollTo(element, next * rowHeight, rowHeight);
      wanted.current = next;
      activate(next);
      return next;
    },
    [rows.length, box, rowHeight],
  );
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isTyping(event.target)) return;
    const row = rows[inside];
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 300) / rowHeight) - 1);
    const isInRow = (event.target as Element).closest("a, button") === null;
    const step = stepOf(event.key, { at: inside, page, last: rows.length - 1 });
    if (step !== null) {
      const before = inside;
      const next = go(step);
      if (event.shiftKey && selection !== undefined && event.key !== "J")
        selection.set([...selection.selected, ...keysBetween(rows.map(keyOf), before, next)]);
    } else if (event.key === "Enter" && row !== undefined && isInRow) onOpen(row);
    else if ((event.key === " " || event.key === "x") && row !== undefined && isInRow)
      selection?.toggle(keyOf(row));
    else if (event.key === "a" && (event.ctrlKey || event.metaKey)) selection?.set(rows.map(keyOf));
    else if (event.key === "Escape" && selection !== undefined && selection.selected.size > 0)
      selection.set([]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { active: inside, activate, onKeyDown };
}

interface From {
  readonly at: number;
  readonly page: number;
  readonly last: number;
}

function stepOf(key: string, { at, page, last }: From): number | null {
  switch (key) {
    case "ArrowDown":
    case "j":
      return at + 1;
    case "ArrowUp":
    case "k":
      return at - 1;
    case "PageDown":
      return at + page;
    case "PageUp":
      return at - page;
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return null;
  }
}

const keysBetween = (keys: readonly string[], one: number, other: number): readonly string[] =>
  keys.slice(Math.min(one, other), Math.max(one, other) + 1);

function scrollTo(box: HTMLElement, top: number, height: number): void {
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight;
}
