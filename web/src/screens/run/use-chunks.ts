import { useCallback, useEffect, useRef, useState } from "react";
import { useData } from "../../data/data-context.tsx";
import type { AnswerOf } from "../../../../src/api/client/client.ts";
import { chunkOf, keptChunks, type ChunkRange } from "./chunk-range.ts";

type WindowedName = "getTimeline" | "getTranscript" | "getSeries" | "listOwners" | "listRemedies";

interface ChunksWish {
  readonly run: string;
  readonly head: number;
  readonly size: number;
  readonly range: ChunkRange;
  readonly attempt?: string | undefined;
}

export interface Chunks<T> {
  /** Those that are there, oldest first, without a gap among them. */
  readonly loaded: readonly T[];
  readonly error: Error | null;
  readonly isReading: boolean;
}

/**
 * Parts of a journal that never shift: the n-th holds the events behind n × size. A full one is read once; the one that
 * the run's end lies in is read again as the run goes on. What is outside of the range is forgotten.
 */
export function useChunks<Name extends WindowedName>(name: Name, wish: ChunksWish): Chunks<AnswerOf<Name>> {
  const { source } = useData();
  const { run, head, size, attempt, range } = wish;
  const held = useRef(new Map<number, { readonly answer: AnswerOf<Name>; readonly head: number }>());
  const reading = useRef(new Set<string>());
  const [, drawn] = useState(0);
  const [error, setError] = useState<Error | null>(null);
  const about = `${name} ${run} ${attempt ?? ""} ${String(size)}`;
  const aboutNow = useRef(about);
  if (aboutNow.current !== about) {
    aboutNow.current = about;
    held.current = new Map();
  }
  const load = useCallback(
    async (chunk: number) => {
      const end = Math.min(head, (chunk + 1) * size);
      const key = `${about} ${String(chunk)} ${String(end)}`;
      if (reading.current.has(key)) return;
      reading.current.add(key);
      try {
        const query = {
          before: (chunk + 1) * size + 1,
          limit: size,
          ...(attempt === undefined ? {} : { attempt }),
        };
        const answer = await source.call(name, { params: { run }, query } as never);
        if (aboutNow.current !== about) return;
        held.current.set(chunk, { answer: answer, head: end });
        setError(null);
      } catch (thrown) {
        setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
      } finally {
        reading.current.delete(key);
        drawn((count) => count + 1);
      }
    },
    [source, name, run, head, size, attempt, about],
  );
  useEffect(() => {
    for (const chunk of held.current.keys())
      if (chunk < range.first || chunk > range.last) held.current.delete(chunk);
    for (let chunk = range.last; chunk >= range.first; chunk -= 1) {
      const known = held.current.get(chunk);
      const isCurrent = known !== undefined && known.head === Math.min(head, (chunk + 1) * size);
      if (!isCurrent) void load(chunk);
    }
  }, [range.first, range.last, head, size, load]);
  const loaded = keptChunks([...held.current.keys()], range)
    .map((chunk) => held.current.get(chunk)?.answer)
    .filter((answer) => answer !== undefined);
  return { loaded, error, isReading: reading.current.size > 0 };
}

export interface ChunkWindow {
  readonly range: ChunkRange;
  readonly isAtEnd: boolean;
  readonly earlier: () => void;
  readonly later: () => void;
  readonly toEnd: () => void;
  /** Shows the part that an event is in. */
  readonly goTo: (seq: number) => void;
}

/** Which parts are shown: at first the last ones, then where the person goes; never more than `most`. */
export function useChunkWindow(
  head: number,
  { size, most }: { readonly size: number; readonly most: number },
): ChunkWindow {
  const [wanted, want] = useState<ChunkRange | "end">("end");
  const last = chunkOf(Math.max(1, head), size);
  const atEnd = { first: Math.max(0, last - 1), last };
  const range =
    wanted === "end" ? atEnd : { first: Math.min(wanted.first, last), last: Math.min(wanted.last, last) };
  const move = useCallback((to: ChunkRange | "end") => want(to), []);
  return {
    range,
    isAtEnd: range.last === last,
    earlier: () => {
      if (range.first === 0) return;
      const first = range.first - 1;
      move({ first, last: Math.min(range.last, first + most - 1) });
    },
    later: () => {
      if (range.last >= last) return;
      const to = range.last + 1;
      if (to === last && last - Math.max(range.first, to - most + 1) <= 1) return move("end");
      move({ first: Math.max(range.first, to - most + 1), last: to });
    },
    toEnd: () => move("end"),
    goTo: (seq) => {
      const chunk = chunkOf(seq, size);
      if (chunk >= range.first && chunk <= range.last) return;
      move(chunk >= atEnd.first ? "end" : { first: Math.max(0, chunk - 1), last: Math.min(last, chunk + 1) });
    },
  };
}
