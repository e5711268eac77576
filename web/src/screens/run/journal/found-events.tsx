import { useCallback, useEffect, useRef, useState, type ReactElement } from "react";
import { useData } from "../../../data/data-context.tsx";
import { en } from "../../../text/en.ts";
import type { JournalEvent } from "../timeline/explain.ts";
import type { EventListProps } from "./all-events.tsx";
import { EventRow } from "./event-row.tsx";

interface FoundProps extends EventListProps {
  readonly type: string | undefined;
  readonly attempt: string | undefined;
}

const PAGE = 1_000;
const PAGES_AT_ONCE = 10;
const ENOUGH = 100;
const KEPT_MAX = 2_000;

/** Events that fit a filter, found page by page from the end backwards. */
export function FoundEvents({ run, head, chosen, onChoose, type, attempt }: FoundProps): ReactElement {
  const { source } = useData();
  const [found, setFound] = useState<readonly JournalEvent[]>([]);
  const [before, setBefore] = useState<number | null>(head + 1);
  const [isReading, setReading] = useState(false);
  const search = useCallback(
    async (from: number) => {
      setReading(true);
      let at: number | null = from;
      const more: JournalEvent[] = [];
      for (let page = 0; page < PAGES_AT_ONCE && at !== null && more.length < ENOUGH; page += 1) {
        const query = { before: at, limit: PAGE, ...(type === undefined ? {} : { type }) };
        const answer: Awaited<ReturnType<typeof source.call<"listEvents">>> = await source.call(
          "listEvents",
          { params: { run }, query },
        );
        more.unshift(...answer.events.filter((event) => isOf(event, attempt)));
        at = answer.before;
      }
      setFound((all) => [...more, ...all].slice(0, KEPT_MAX));
      setBefore(at);
      setReading(false);
    },
    [source, run, type, attempt],
  );
  useOnce(() => void search(head + 1).catch(() => setReading(false)));
  return (
    <div className="event-box event-box-flows" tabIndex={0} role="grid" aria-label={en.run.journal.label}>
      <div className="panel-body row" role="presentation">
        <span className="muted small" aria-live="polite">
          {isReading ? en.run.journal.searching : en.run.journal.searched(String(before ?? 1))}
        </span>
        {before !== null && !isReading && (
          <button
            type="button"
            className="button button-normal"
            onClick={() => void search(before).catch(() => setReading(false))}
          >
            {en.run.journal.further}
          </button>
        )}
      </div>
      {found.length === 0 && !isReading && <p className="panel-body muted">{en.run.journal.none}</p>}
      {found.map((event) => (
        <EventRow
          key={event.seq}
          seq={event.seq}
          event={event}
          isChosen={event.seq === chosen}
          top={null}
          onChoose={onChoose}
        />
      ))}
    </div>
  );
}

const isOf = ({ data }: JournalEvent, attempt: string | undefined): boolean =>
  attempt === undefined ||
  (typeof data === "object" && data !== null && JSON.stringify(data).includes(JSON.stringify(attempt)));

function useOnce(work: () => void): void {
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    work();
  });
}
