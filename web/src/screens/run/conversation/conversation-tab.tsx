import { useLayoutEffect, useRef, useState, type ReactElement, type UIEvent } from "react";
import { useAct } from "../../../data/use-act.ts";
import { useSource } from "../../../data/data-context.tsx";
import { en } from "../../../text/en.ts";
import { shellWord } from "../../../../../src/model/text/command-text.ts";
import { ActionButton } from "../../../ui/commands/action-button.tsx";
import { countText } from "../../../ui/money.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { Skeleton } from "../../../ui/skeleton.tsx";
import { WordsField } from "../../../ui/words-field.tsx";
import { FilterNote } from "../filter-note.tsx";
import type { RunDocument } from "../run-document.ts";
import { useChunks, useChunkWindow, type ChunkWindow } from "../use-chunks.ts";
import { useSelection } from "../use-selection.ts";
import { SaidList } from "./said-list.tsx";

const SIZE = 400;
const MOST = 4;
const EDGE_PX = 300;
const END_PX = 40;

/** The conversation of all attempts, from its end; parts before and after are read as they are scrolled to. */
export function ConversationTab({ run }: { readonly run: RunDocument }): ReactElement {
  const { search, select } = useSelection();
  const view = useChunkWindow(run.position, { size: SIZE, most: MOST });
  const wish = { run: run.run, head: run.position, size: SIZE, range: view.range, attempt: search.attempt };
  const { loaded, error, isReading } = useChunks("getTranscript", wish);
  const entries = loaded.flatMap(({ transcript }) => transcript);
  const [first, last] = [loaded[0]?.fromSeq ?? 0, loaded.at(-1)?.toSeq ?? 0];
  const { box, onScroll } = useScroll({
    view,
    first,
    last,
    count: entries.length,
    wanted: search.seq,
    isReading,
  });
  if (error !== null && loaded.length === 0) return <Problem error={error} />;
  if (loaded.length === 0 && run.position > 0) return <Skeleton />;
  return (
    <section className="panel conversation" aria-label={en.run.conversation.label}>
      <div className="panel-head">
        <FilterNote />
        <span className="muted num small">
          {en.run.conversation.events(countText(first), countText(last), countText(run.position))}
        </span>
        <span className="grow" />
        {first > 1 && (
          <button type="button" className="button button-normal" onClick={view.earlier}>
            {en.run.earlier}
          </button>
        )}
        {!view.isAtEnd && (
          <button type="button" className="button button-normal" onClick={view.toEnd}>
            {en.run.end}
          </button>
        )}
      </div>
      <div
        className="said said-box"
        ref={box}
        onScroll={onScroll}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={en.run.conversation.label}
      >
        {entries.length === 0 && (
          <EmptyState title={en.run.conversation.empty}>{en.run.conversation.emptyHint}</EmptyState>
        )}
        <SaidList
          entries={entries}
          chosen={search.seq ?? null}
          onAttempt={(attempt) => select({ attempt })}
          onChoose={(seq) => select({ seq })}
        />
      </div>
      <Tell run={run} />
    </section>
  );
}

interface ScrollWish {
  readonly view: ChunkWindow;
  readonly first: number;
  readonly last: number;
  readonly count: number;
  /** The event that is chosen. */
  readonly wanted: number | undefined;
  readonly isReading: boolean;
}

/** Follows the end while it is seen, shows what is chosen, and reads more near the edges. */
function useScroll({ view, first, last, count, wanted, isReading }: ScrollWish) {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const { goTo } = view;
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && follows.current && view.isAtEnd && wanted === undefined)
      element.scrollTop = element.scrollHeight;
  }, [count, last, view.isAtEnd, wanted]);
  useLayoutEffect(() => {
    if (wanted === undefined) return;
    goTo(wanted);
    box.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
    // Once for each choice, and once its part is there.
  }, [wanted, first]);
  const onScroll = ({ currentTarget: { scrollTop, scrollHeight, clientHeight } }: UIEvent): void => {
    const left = scrollHeight - scrollTop - clientHeight;
    follows.current = left < END_PX;
    if (isReading) return;
    if (scrollTop < EDGE_PX && first > 1) view.earlier();
    else if (left < EDGE_PX && !view.isAtEnd) view.later();
  };
  return { box, onScroll };
}

const TELLABLE: ReadonlySet<string> = new Set([
  "queued",
  "running",
  "paused",
  "awaiting_approval",
  "blocked",
]);

function Tell({ run }: { readonly run: RunDocument }): ReactElement | null {
  const { kind } = useSource();
  const { ask } = useAct();
  const [isOpen, open] = useState(false);
  if (kind === "file" || !TELLABLE.has(run.status)) return null;
  const command = (text: string): string => `holdfast tell ${shellWord(run.run)} ${shellWord(text)}`;
  const send = (text: string): void => {
    open(false);
    const input = { params: { run: run.run }, body: { kind: "tell", text } } as const;
    void ask({ route: "ask", input, command: command(text), title: `tell ${run.run}` });
  };
  return (
    <div className="panel-body">
      {isOpen ? (
        <WordsField
          label={en.run.conversation.tellLabel}
          send={en.run.conversation.tell}
          onSend={send}
          onClose={() => open(false)}
        />
      ) : (
        <ActionButton command={command("…")} onPress={() => open(true)}>
          {en.run.conversation.tell}
        </ActionButton>
      )}
    </div>
  );
}
