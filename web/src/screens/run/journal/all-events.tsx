import { useEffect, useLayoutEffect, useRef, type KeyboardEvent, type ReactElement } from "react";
import { en } from "../../../text/en.ts";
import { useWindow } from "../../../ui/use-window.ts";
import { EventRow } from "./event-row.tsx";
import { useEventPages } from "./use-event-pages.ts";

export interface EventListProps {
  readonly run: string;
  readonly head: number;
  readonly chosen: number | null;
  readonly onChoose: (seq: number) => void;
}

export const ROW_PX = 28;
const END_PX = 60;
const ROWS_BEFORE = 20;

/** Every event of the run in one list, at its end to begin with. The bar of scrolling stands for the whole run. */
export function AllEvents({ run, head, chosen, onChoose }: EventListProps): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(chosen === null);
  const { from, to } = useWindow(box, {
    rowHeight: ROW_PX,
    count: head,
    at: chosen === null ? head : chosen - ROWS_BEFORE,
  });
  const eventAt = useEventPages(run, head, { from, to });
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && follows.current) element.scrollTop = element.scrollHeight;
  }, [head]);
  useEffect(() => {
    const element = box.current;
    if (element === null || chosen === null) return;
    const top = (chosen - 1) * ROW_PX;
    if (top < element.scrollTop || top > element.scrollTop + element.clientHeight - ROW_PX)
      element.scrollTop = top - element.clientHeight / 2;
  }, [chosen]);
  const onKeyDown = eventKeys({ head, chosen, onChoose });
  const rows = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at + 1);
  return (
    <div
      className="event-box"
      ref={box}
      tabIndex={0}
      role="grid"
      aria-label={en.run.journal.label}
      aria-rowcount={head}
      onKeyDown={onKeyDown}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < END_PX;
      }}
    >
      <div className="event-space" role="presentation" style={{ height: head * ROW_PX }}>
        {rows.map((seq) => (
          <EventRow
            key={seq}
            seq={seq}
            event={eventAt(seq)}
            isChosen={seq === chosen}
            top={(seq - 1) * ROW_PX}
            onChoose={onChoose}
          />
        ))}
      </div>
    </div>
  );
}

/** The event before or after the chosen one; the last one where none is. */
const eventKeys =
  ({ head, chosen, onChoose }: Pick<EventListProps, "head" | "chosen" | "onChoose">) =>
  (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    onChoose(Math.max(1, Math.min(head, (chosen ?? head + 1) + step)));
    event.preventDefault();
    event.stopPropagation();
  };

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };
