// A process that contends for runs of one store, on its parent's word: node contender.ts FILE-OR-ADDRESS NAME
import { setTimeout as pause } from "node:timers/promises";
import type { Journal } from "../../src/journal/journal.ts";
import { openPostgresJournal } from "../../src/journal/postgres/postgres-journal.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { order, owner, quietWorld, said } from "./contract/scene.ts";

export type Command =
  /** Gets hold of the run, from the one that holds it, and then appends at a position. */
  | { readonly kind: "contend"; readonly run: string; readonly expected: number }
  /** Appends under an epoch it was given before, until it is refused. */
  | { readonly kind: "work"; readonly run: string; readonly expected: number; readonly epoch: number };

export type Report =
  | { readonly kind: "ready" }
  | { readonly kind: "tried"; readonly outcome: string; readonly seq: number }
  /** One append of a series was acknowledged. */
  | { readonly kind: "acknowledged"; readonly seq: number }
  | { readonly kind: "stopped"; readonly outcome: string };

const [store = "", name = ""] = process.argv.slice(2);
const report = (message: Report): void => void process.send?.(message);
const epochs = new Map<string, number>();

async function grasp(journal: Journal, run: string): Promise<number> {
  const seen = await journal.lease(run);
  const taken =
    seen === null ? await journal.claim(run, owner(name)) : await journal.takeOver(run, owner(name), seen);
  // The one that came too late tries all the same, with the epoch it had: the store must refuse it.
  if (taken.kind === "claimed") epochs.set(run, taken.epoch);
  return epochs.get(run) ?? 0;
}

async function contend(
  journal: Journal,
  { run, expected }: { run: string; expected: number },
): Promise<Report> {
  const epoch = await grasp(journal, run);
  const outcome = await journal.append(order(run, expected, { epoch, events: [said(name)] }));
  return { kind: "tried", outcome: outcome.kind, seq: outcome.kind === "appended" ? outcome.head.seq : 0 };
}

async function work(
  journal: Journal,
  from: { run: string; expected: number; epoch: number },
): Promise<Report> {
  for (let expected = from.expected; ; expected += 1) {
    const outcome = await journal.append(
      order(from.run, expected, { epoch: from.epoch, events: [said(name)] }),
    );
    if (outcome.kind !== "appended") return { kind: "stopped", outcome: outcome.kind };
    report({ kind: "acknowledged", seq: outcome.head.seq });
    await pause(1);
  }
}

const journal = await (store.startsWith("postgres:")
  ? openPostgresJournal({ url: store, world: quietWorld() })
  : openSqliteJournal({ file: store, world: quietWorld() }));
process.on("message", (command: Command) => {
  void (command.kind === "contend" ? contend(journal, command) : work(journal, command)).then(report);
});
process.on("disconnect", () => void journal.close());
report({ kind: "ready" });
