import { useState, type ReactElement } from "react";
import { EVENT_KINDS } from "../../../../../src/views/text/event-kinds.ts";
import { useData } from "../../../data/data-context.tsx";
import { en } from "../../../text/en.ts";
import { countText } from "../../../ui/money.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { FilterNote } from "../filter-note.tsx";
import type { RunDocument } from "../run-document.ts";
import { useSelection } from "../use-selection.ts";
import { AllEvents } from "./all-events.tsx";
import { EventDetail } from "./event-detail.tsx";
import { FoundEvents } from "./found-events.tsx";

const TYPES = Object.keys(EVENT_KINDS).sort();

/** The journal as it was recorded: all of it in one list that reads what is seen, or what fits a filter. */
export function JournalTab({ run }: { readonly run: RunDocument }): ReactElement {
  const { search, select } = useSelection();
  const { type, attempt, seq } = search;
  const isFiltered = type !== undefined || attempt !== undefined;
  const choose = (to: number): void => select({ seq: to });
  const shared = { run: run.run, head: run.position, chosen: seq ?? null, onChoose: choose };
  return (
    <div className="journal">
      <section className="panel journal-list" aria-label={en.run.journal.label}>
        <div className="panel-head row-wrap">
          <span className="row">
            <label className="small muted" htmlFor="journal-type">
              {en.run.journal.type}
            </label>
            <select
              id="journal-type"
              value={type ?? ""}
              onChange={({ target }) => select({ type: target.value === "" ? undefined : target.value })}
            >
              <option value="">{en.run.journal.allTypes}</option>
              {TYPES.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </span>
          <FilterNote />
          <span className="grow" />
          <span className="status-done small" title={en.run.journal.verifiedHint}>
            ✓ {en.run.journal.verified}
          </span>
          <Verify run={run.run} />
        </div>
        {isFiltered ? (
          <FoundEvents key={`${type ?? ""} ${attempt ?? ""}`} {...shared} type={type} attempt={attempt} />
        ) : (
          <AllEvents {...shared} />
        )}
      </section>
      <EventDetail run={run.run} seq={seq ?? null} />
    </div>
  );
}

function Verify({ run }: { readonly run: string }): ReactElement {
  const { source } = useData();
  const [state, set] = useState<{ readonly text: string; readonly error: Error | null } | null>(null);
  const verify = (): void => {
    source.call("verifyRun", { params: { run } }).then(
      (answer) => {
        const { events } = answer as { readonly events?: number };
        set({ text: en.run.journal.verifiedAll(countText(events ?? 0)), error: null });
      },
      (thrown: unknown) =>
        set({ text: "", error: thrown instanceof Error ? thrown : new Error(String(thrown)) }),
    );
  };
  const error = state?.error ?? null;
  if (error !== null) return <Problem error={error} />;
  return (
    <span className="row small" aria-live="polite">
      {state === null ? (
        <button type="button" className="button button-normal" onClick={verify}>
          {en.run.journal.verify}
        </button>
      ) : (
        <span className="status-done">✓ {state.text}</span>
      )}
    </span>
  );
}
