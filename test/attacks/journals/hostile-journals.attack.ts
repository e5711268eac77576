import { existsSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import ts from "typescript";
import { seededChance } from "../../../sim/world/seeded-chance.ts";
import { decide } from "../../../src/decide/decide.ts";
import { nextDeadline } from "../../../src/decide/dispatch/deadlines.ts";
import { decodeEvent } from "../../../src/model/events/event-codec.ts";
import type { Recorded } from "../../../src/model/events/events.ts";
import { errorText, isFault } from "../../../src/model/fault.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { reportMarkdown } from "../../../src/views/report/report-text.ts";
import { reportOf } from "../../../src/views/report/report.ts";
import { foldEvent } from "../../../src/views/runs/run-summary.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { timelineOf } from "../../../src/views/timeline.ts";
import { cutJournals, readCutJournal } from "../../fold/journal-cuts.ts";
import { parsed, sourceFiles } from "../../source-files.ts";
import { tried, type Attack, type Stage, type Tried } from "../attack.ts";
import { hostileJournal, type StoredText } from "./hostile-journal.ts";
import { pollution } from "./pollution.ts";

/** Whatever reads a journal, one after the other: decoding, folding, deciding, showing. */
function readWhole(stored: readonly StoredText[], head: Pick<Recorded, "run" | "at">): void {
  const events: Recorded[] = [];
  let state: RunState | null = null;
  for (const [index, { type, text }] of stored.entries()) {
    const event = { ...decodeEvent(type, text), run: head.run, seq: index + 1, at: head.at + index };
    events.push(event as Recorded);
    state = foldEvent(state, event as Recorded);
  }
  if (state === null) return;
  const now = head.at + stored.length;
  decide(structuredClone(state), now);
  nextDeadline(state, now);
  JSON.stringify([statusView(state, null, now), timelineOf(events, state)]);
  reportMarkdown(reportOf(events, null));
}

/** What reading did that data cannot do; null where it was read or refused by name. */
async function effectOf(
  stored: readonly StoredText[],
  head: Recorded,
  canary: string,
): Promise<string | null> {
  let thrown: unknown = null;
  try {
    readWhole(stored, head);
  } catch (error) {
    thrown = error;
  }
  await nextTurn();
  if ("holdfastCanary" in globalThis || existsSync(canary)) return "code in it ran";
  const polluted = pollution();
  if (polluted !== null) return polluted;
  return thrown === null || isFault(thrown) ? null : `reading it throws ${errorText(thrown)}`;
}

async function readHostile({ folder, count, seed }: Stage): Promise<Tried> {
  const canary = path.join(folder, "canary");
  const names = cutJournals();
  const journals = await Promise.all(names.map(readCutJournal));
  const succeeded: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const journal = journals[at % journals.length] ?? [];
    const stored = hostileJournal(journal, canary, seededChance(seed + at));
    const [head] = journal;
    if (head === undefined) throw new Error("a golden journal is empty");
    const effect = await effectOf(stored, head, canary);
    if (effect !== null)
      succeeded.push(`${String(names[at % names.length])}, seed ${String(seed + at)}: ${effect}`);
  }
  return tried(count, succeeded);
}

/** What they import is a file of the user, asked about before (see docs/trust.md); no journal names it to them. */
const IMPORTS_BY_NAME: readonly string[] = [
  "src/agents/function/find-function.ts",
  "src/cli/config/find-flow.ts",
  "src/cli/config/load-config.ts",
];

/** A way by which text becomes code, as the syntax shows it. */
function wayToCode(node: ts.Node): string | null {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier))
    return /^(node:)?vm$/.test(node.moduleSpecifier.text) ? "imports node:vm" : null;
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return null;
  const [given] = node.arguments ?? [];
  if (node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return given !== undefined && ts.isStringLiteral(given) ? null : "imports by a name";
  if (!ts.isIdentifier(node.expression)) return null;
  return ["eval", "Function"].includes(node.expression.text) ? `calls ${node.expression.text}` : null;
}

function waysToCode(file: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const way = wayToCode(node);
    if (way !== null && !(way === "imports by a name" && IMPORTS_BY_NAME.includes(file)))
      found.push(`${file} ${way}`);
    ts.forEachChild(node, visit);
  };
  visit(parsed(file));
  return found;
}

const searchCode = (): Tried => {
  const files = sourceFiles();
  return tried(files.length, files.flatMap(waysToCode));
};

export const attacks: readonly Attack[] = [
  {
    ...{ threat: "T33", level: "any", promised: "prevented", count: { full: 20_000, short: 300 } },
    title:
      "old journals with code, prototypes, foreign names, types and orders in them are decoded, folded, decided on and shown",
    run: readHostile,
  },
  {
    ...{ threat: "T33", level: "any", promised: "prevented", count: { full: 1, short: 1 } },
    title: "text becomes code by eval, Function, node:vm or an import by name, anywhere in the source",
    run: async () => searchCode(),
  },
];
