import { memo, type ReactElement } from "react";
import { Untrusted } from "../../../ui/untrusted.tsx";
import { SaidEntry, type Said } from "./said-entry.tsx";

interface SaidListProps {
  readonly entries: readonly Said[];
  readonly chosen: number | null;
  readonly onAttempt: (attempt: string) => void;
  readonly onChoose: (seq: number) => void;
}

/** Grouped by attempt. What is not seen is left to the browser, which does not lay it out. */
export function SaidList({ entries, chosen, onAttempt, onChoose }: SaidListProps): ReactElement {
  return (
    <>
      {groupsOf(entries).map(({ attempt, from, of }) => (
        <section key={`${attempt} ${String(from)}`} className="said-group" aria-label={attempt}>
          <h3 className="said-attempt">
            <button type="button" className="link" onClick={() => onAttempt(attempt)}>
              <Untrusted text={attempt} isLine isMono />
            </button>
          </h3>
          {of.map((entry, at) => (
            <Entry
              key={`${String(entry.seq)} ${String(at)}`}
              entry={entry}
              isChosen={entry.seq === chosen}
              onChoose={onChoose}
            />
          ))}
        </section>
      ))}
    </>
  );
}

interface EntryProps {
  readonly entry: Said;
  readonly isChosen: boolean;
  readonly onChoose: (seq: number) => void;
}

const Entry = memo(
  ({ entry, isChosen, onChoose }: EntryProps) => (
    <SaidEntry entry={entry} isChosen={isChosen} onChoose={() => onChoose(entry.seq)} />
  ),
  (one, other) => one.entry === other.entry && one.isChosen === other.isChosen,
);
Entry.displayName = "Entry";

interface Group {
  readonly attempt: string;
  readonly from: number;
  readonly of: Said[];
}

export function groupsOf(entries: readonly Said[]): Group[] {
  const groups: Group[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last?.attempt === entry.attempt) last.of.push(entry);
    else groups.push({ attempt: entry.attempt, from: entry.seq, of: [entry] });
  }
  return groups;
}
