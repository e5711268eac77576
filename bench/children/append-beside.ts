// Appends one after the other from a process of its own, on its parent's word: node append-beside.ts plain|journal URL RUN
import { openPostgresJournal } from "../../src/journal/postgres/postgres-journal.ts";
import { benchWorld as world } from "../harness/bench-world.ts";
import { barePostgres } from "../sides/bare-postgres.ts";
import { RunWriter } from "../sides/journal-writer.ts";

/** The parent says for how long; the child answers how long each append took. */
export interface Asked {
  readonly forMs: number;
}
export type Said = { readonly kind: "ready" } | { readonly kind: "done"; readonly tookMs: number[] };

const [side = "", url = "", run = ""] = process.argv.slice(2);

async function appender(): Promise<() => Promise<void>> {
  if (side === "plain") {
    const bare = await barePostgres(url);
    return async () => bare.more(1);
  }
  const journal = await openPostgresJournal({ url, world });
  const writer = await RunWriter.create(journal, run);
  return () => writer.appendOneByOne(1);
}

const append = await appender();
const say = (said: Said): void => void process.send?.(said);
process.on("disconnect", () => process.exit());
process.on("message", ({ forMs }: Asked) => {
  void appendFor(forMs).then((tookMs) => say({ kind: "done", tookMs }));
});
say({ kind: "ready" });

async function appendFor(forMs: number): Promise<number[]> {
  const tookMs: number[] = [];
  const endMs = performance.now() + forMs;
  for (let now = performance.now(); now < endMs;) {
    await append();
    const then = performance.now();
    tookMs.push(then - now);
    now = then;
  }
  return tookMs;
}
