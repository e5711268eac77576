import { budgetView, type BudgetView } from "../../decide/budget/program-budget.ts";
import { childScope, keyOf, keyText, partText } from "../../model/values/program-key.ts";
import type { ProgramRecord, ProgramScope, ProgramState } from "../../model/state/program-state.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { RunState } from "../../model/state/run-state.ts";

export type TreeState =
  "running" | "waiting" | "sleeping" | "in_doubt" | "ok" | "failed" | "cancelled" | "at_rest";

/** One scope of a workflow function, and what is inside it. */
export interface TreeNode {
  readonly name: string;
  readonly kind: "run" | "child" | "loop";
  readonly state: TreeState;
  /** Which try it is; only for children. */
  readonly attempt?: number;
  /** The iteration a loop is at, counted from 0. */
  readonly iteration?: number;
  readonly error?: string;
  readonly waitingFor: readonly { readonly signal: string; readonly until: string | null }[];
  readonly sleepingUntil: string | null;
  /** Keys of steps of which nobody knows whether they were done. */
  readonly inDoubt: readonly string[];
  /** Only where the scope has a budget of its own. */
  readonly budget?: BudgetView;
  readonly children: readonly TreeNode[];
  /** How many more there are than are shown. */
  readonly more: number;
}

const CHILDREN_SHOWN = 20;
const NODES_SHOWN = 200;
const ERROR_CHARS_MAX = 200;
/** What needs somebody comes first, what is done comes last. */
const ORDER: readonly TreeState[] = [
  "in_doubt",
  "failed",
  "waiting",
  "running",
  "sleeping",
  "at_rest",
  "cancelled",
  "ok",
];

interface Looking {
  readonly program: ProgramState;
  readonly now: number;
  /** A run that has ended does nothing any more, no matter what was open in it. */
  readonly isLive: boolean;
  left: number;
}

/** The tree of a workflow function's scopes, bounded in size; null for a run of agents. */
export function programTree(state: RunState, now: number): TreeNode | null {
  if (state.kind === "supervised") return null;
  const { program } = state;
  const isLive = state.status !== "completed" && state.status !== "failed" && state.status !== "cancelled";
  const looking: Looking = { program, now, isLive, left: NODES_SHOWN };
  const inside = insideOf(program.root, [], looking);
  const ended = { completed: "ok", failed: "failed", cancelled: "cancelled" } as const;
  const over = isLive ? null : ended[state.status as keyof typeof ended];
  return {
    name: state.run,
    kind: "run",
    ...inside,
    state: over ?? inside.state,
    budget: budgetView(program.budgets, []),
  };
}

type Inside = Pick<TreeNode, "state" | "waitingFor" | "sleepingUntil" | "inDoubt" | "children" | "more">;

function insideOf(scope: ProgramScope | undefined, path: readonly string[], looking: Looking): Inside {
  const records = Object.entries(scope?.records ?? {});
  const { isLive, now, program } = looking;
  const waitingFor = records.flatMap(([, record]) =>
    isLive && record.kind === "waiting"
      ? [{ signal: record.name, until: record.until === null ? null : isoTime(record.until) }]
      : [],
  );
  const until = Math.max(0, ...records.map(([, record]) => (record.kind === "slept" ? record.until : 0)));
  const sleepingUntil = isLive && until > now ? isoTime(until) : null;
  const inDoubt = records
    .filter(([, record]) => record.kind === "intended")
    .map(([name]) => keyOf(path, name))
    .filter((key) => isLive && program.doubts.includes(key));
  const { children, more } = shown(scope, path, looking);
  const own: TreeState =
    inDoubt.length > 0
      ? "in_doubt"
      : waitingFor.length > 0
        ? "waiting"
        : sleepingUntil === null
          ? "running"
          : "sleeping";
  return { state: isLive ? own : "at_rest", waitingFor, sleepingUntil, inDoubt, children, more };
}

function shown(
  scope: ProgramScope | undefined,
  path: readonly string[],
  looking: Looking,
): { children: TreeNode[]; more: number } {
  if (scope === undefined) return { children: [], more: 0 };
  const names = [...new Set([...Object.keys(scope.records), ...Object.keys(scope.scopes).map(loopOf)])];
  const found = names.filter((name) => name.startsWith("spawn:") || name.startsWith("loop:"));
  // Which are shown is decided before their insides are looked at: a tree of thousands costs no more than a small one.
  const ranked = found
    .map((name) => ({ name, rank: ORDER.indexOf(outerState(scope.records[name])) }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, Math.min(CHILDREN_SHOWN, looking.left));
  looking.left -= ranked.length;
  const children = ranked.map(({ name }) => nodeOf(scope, [...path], name, looking));
  return { children, more: found.length - children.length };
}

/** The loop whose iteration a scope is, or the scope itself. */
const loopOf = (part: string): string =>
  part.startsWith("loop:") ? part.slice(0, part.lastIndexOf("[")) : "";

function outerState(record: ProgramRecord | undefined): TreeState {
  if (record?.kind === "value") return "ok";
  if (record?.kind === "error") return record.error.code === "cancelled" ? "cancelled" : "failed";
  return record?.kind === "looped" && record.done ? "ok" : "running";
}

function nodeOf(scope: ProgramScope, path: string[], name: string, looking: Looking): TreeNode {
  const record = scope.records[name];
  const isLoop = name.startsWith("loop:");
  const settled = outerState(record);
  const at = { name: partText(name), kind: isLoop ? ("loop" as const) : ("child" as const) };
  const budget = looking.program.budgets[keyOf(path, name)];
  const extra = {
    ...(record?.kind === "spawned" ? { attempt: record.attempt } : {}),
    ...(record?.kind === "error" ? { error: record.error.message.slice(0, ERROR_CHARS_MAX) } : {}),
    ...(isLoop ? { iteration: record?.kind === "looped" ? record.i + (record.done ? 0 : 1) : 0 } : {}),
    ...(budget === undefined ? {} : { budget: budgetView(looking.program.budgets, [...path, name]) }),
  };
  if (settled !== "running")
    return {
      ...at,
      ...extra,
      state: settled,
      waitingFor: [],
      sleepingUntil: null,
      inDoubt: [],
      children: [],
      more: 0,
    };
  const part = isLoop
    ? `${name}[${String(extra.iteration ?? 0)}]`
    : childScope(name, record?.kind === "spawned" ? record.attempt : 1);
  return { ...at, ...extra, ...insideOf(scope.scopes[part], [...path, part], looking) };
}

/** A node in words: `running, attempt 2`, `waiting for "approval" until …`. */
export function treeWords(node: TreeNode): string {
  const words = [
    ...node.inDoubt.map((key) => `step "${keyText(key)}" is in doubt`),
    ...node.waitingFor.map(
      ({ signal, until }) => `waiting for "${signal}"${until === null ? "" : ` until ${until}`}`,
    ),
    ...(node.sleepingUntil === null ? [] : [`sleeping until ${node.sleepingUntil}`]),
  ];
  return [
    ...(words.length === 0 ? [STATE_WORDS[node.state]] : words),
    ...(node.iteration === undefined ? [] : [`iteration ${String(node.iteration)}`]),
    ...(node.attempt === undefined || node.attempt === 1 ? [] : [`attempt ${String(node.attempt)}`]),
    ...(node.error === undefined ? [] : [node.error]),
  ].join(", ");
}

const STATE_WORDS: Readonly<Record<TreeState, string>> = {
  running: "running",
  waiting: "waiting",
  sleeping: "sleeping",
  in_doubt: "in doubt",
  ok: "ok",
  failed: "failed",
  cancelled: "cancelled",
  at_rest: "not ended",
};
