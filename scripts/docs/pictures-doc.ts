// Writes docs/pictures.md: which module makes which data of which, read from the signatures of functions, and how
// a run moves from one state to another: in the golden journals, and by the table of requests.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { STATE_TABLE } from "../../src/decide/recovery/state-table.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { foldEvent } from "../../src/views/runs/run-summary.ts";
import { cutJournals, readCutJournal } from "../../test/fold/journal-cuts.ts";

const repository = path.join(import.meta.dirname, "..", "..");
const file = path.join(repository, "docs", "pictures.md");

const MODULES = ["agents", "runtime", "journal", "fold", "decide", "views", "api", "cli"] as const;
/** The types that stand for data on its way, by what the picture calls them. */
const DATA: Readonly<Record<string, string>> = {
  Signal: "signals",
  RunEvent: "events",
  Recorded: "recorded",
  RunState: "state",
  Effect: "effects",
  RunRequest: "requests",
  StatusView: "view",
};
const PURE: readonly string[] = ["fold", "decide", "views"];
/** Fewer functions than this are a detail. */
const FUNCTIONS_MIN = 2;

interface Flow {
  readonly takes: Map<string, number>;
  readonly gives: Map<string, number>;
}

const count = (counts: Map<string, number>, names: readonly string[]): void => {
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
};

/** Data that a type speaks of; of a function that is handed over, what it is called with. */
function dataIn(type: ts.Node | undefined, inCallbacks: boolean): Set<string> {
  const found = new Set<string>();
  const visit = (node: ts.Node, within: boolean): void => {
    const name = ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName) ? node.typeName.text : "";
    const data = Object.hasOwn(DATA, name) ? DATA[name] : undefined;
    if (data !== undefined && within === inCallbacks) found.add(data);
    if (ts.isFunctionTypeNode(node)) for (const parameter of node.parameters) visit(parameter, true);
    else ts.forEachChild(node, (child) => visit(child, within));
  };
  if (type !== undefined) visit(type, false);
  return found;
}

function flowOf(module: string): Flow {
  const flow: Flow = { takes: new Map(), gives: new Map() };
  const folder = path.join(repository, "src", module);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts")) continue;
    const text = readFileSync(path.join(folder, name), "utf8");
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node) && !ts.isFunctionTypeNode(node)) {
        const types = node.parameters.map(({ type }) => type);
        const taken = new Set(types.flatMap((type) => [...dataIn(type, false)]));
        const given = new Set([
          ...dataIn(node.type, false),
          ...types.flatMap((type) => [...dataIn(type, true)]),
        ]);
        // Nothing else can come of it where nothing has side effects: the state is changed in place.
        if (PURE.includes(module) && node.type?.kind === ts.SyntaxKind.VoidKeyword && taken.delete("state"))
          given.add("state");
        // What is handed through is neither.
        count(
          flow.takes,
          [...taken].filter((name) => !given.has(name)),
        );
        count(
          flow.gives,
          [...given].filter((name) => !taken.has(name)),
        );
      }
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true));
  }
  return flow;
}

const times = (counts: Map<string, number>, name: string): number => counts.get(name) ?? 0;

/** An arrow goes the way in which most functions of the module carry the data; each kind of data has a maker. */
function flowRows(): string[] {
  const flows = MODULES.map((module) => ({ module, ...flowOf(module) }));
  return Object.values(DATA).flatMap((data) => {
    const users = flows
      .map(({ module, takes, gives }) => ({ module, takes: times(takes, data), gives: times(gives, data) }))
      .filter(({ takes, gives }) => takes + gives >= FUNCTIONS_MIN);
    const share = ({ takes, gives }: (typeof users)[number]): number => gives / (takes + gives);
    const made = Math.min(0.5, Math.max(...users.map(share)));
    return users.map((user) =>
      share(user) >= made
        ? `  src-${user.module}[${user.module}/] --> ${data}([${data}])`
        : `  ${data}([${data}]) --> src-${user.module}[${user.module}/]`,
    );
  });
}

/** The moves that the golden journals hold, each by the events that made it. */
async function eventRows(): Promise<string[]> {
  const moves = new Map<string, Set<string>>();
  for (const name of cutJournals()) {
    let state: RunState | null = null;
    for (const event of await readCutJournal(name)) {
      const before: string = state?.status ?? "[*]";
      state = foldEvent(state, event);
      if (state.status === before) continue;
      const move = `  ${before} --> ${state.status}`;
      moves.set(move, (moves.get(move) ?? new Set()).add(event.type));
    }
  }
  return [...moves].map(([move, types]) => `${move}: ${[...types].sort().join(", ")}`).sort();
}

/** The moves that people may ask for, by the table that answers them. */
function requestRows(): string[] {
  const moves = new Map<string, string[]>();
  for (const [kind, row] of Object.entries(STATE_TABLE))
    for (const [status, { to }] of Object.entries(row)) {
      const [first] = to;
      if (first === undefined || first === status) continue;
      const move = `  ${status} --> ${first}`;
      moves.set(move, [...(moves.get(move) ?? []), kind]);
    }
  return [...moves].map(([move, kinds]) => `${move}: ${kinds.join(", ")}`).sort();
}

const picture = (kind: string, rows: readonly string[]): string =>
  ["```mermaid", kind, ...rows, "```"].join("\n");

export const picturesDocument = async (): Promise<string> => `# Pictures

\`npm run docs\` draws these from the code.

## Data flow

An arrow leads from a module to the data that its functions return or hand to a listener, and from data to the modules whose functions take it. The signatures in \`src\` decide: each arrow is the direction of most of them.

${picture("flowchart LR", flowRows())}

## States of a run

What happened in the journals of \`test/golden\`, by the events that moved a run:

${picture("stateDiagram-v2", await eventRows())}

What a person can ask for, by the table in \`src/decide/recovery/state-table.ts\`:

${picture("stateDiagram-v2", requestRows())}
`;

if (import.meta.main) writeFileSync(file, await picturesDocument());
