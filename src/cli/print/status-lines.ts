import { alarmText } from "../../views/runs/task.ts";
import { checkpointText } from "../../views/runs/checkpoint-notes.ts";
import type { StatusView } from "../../views/status/status.ts";
import { undeliveredText } from "../../views/runs/undelivered.ts";
import { unreceivedText } from "../../views/runs/unreceived-words.ts";
import { limitText, treeBudgetText } from "../../views/status/status-limits.ts";
import { isUnverified } from "../../views/status/status-gates.ts";
import { proofText } from "../../views/text/proof-text.ts";
import { sandboxText } from "../../views/status/status-sandboxes.ts";
import { heldText, pathsText, portsText } from "../../views/status/status-workspace.ts";
import { withdrawnText } from "../../views/runs/withdrawn-files.ts";
import { printableLine } from "../../model/text/printable.ts";
import { workRows, type RunWork } from "../ask/run-work.ts";
import { tableLines } from "./table.ts";
import { treeLines } from "./tree-lines.ts";

const GOAL_CHARS_MAX = 200;
const RESULT_CHARS_MAX = 2_000;

/** What `status` shows a person about one run. */
export function statusLines(view: StatusView, work: RunWork | null = null): string[] {
  const rows: [string, string][] = [
    ["run", view.run],
    ["status", statusText(view)],
    ["goal", printableLine(view.goal, GOAL_CHARS_MAX)],
    ["health", healthText(view)],
    ...view.health.evidence.map((line): [string, string] => ["", printableLine(line, RESULT_CHARS_MAX)]),
    ...optional("supervised", supervisionText(view)),
    ...optional("awake", view.awake?.text ?? null),
    ...optional("step", view.step === null ? null : stepText(view.step, view.attempt)),
    ...view.sandboxes.flatMap((one) => optional("sandbox", sandboxText(one))),
    ...workspaceRows(view).filter(([name]) => name !== "work" || work === null),
    ...optional("failed", view.failure),
    ...blockedRows(view),
    ...leftOutRows(view),
    ...optional("reality", realityText(view)),
    ...view.messages.map((words): [string, string] => [
      "message",
      printableLine(unreceivedText(words), RESULT_CHARS_MAX),
    ]),
    ...view.steps.flatMap(({ name, rests }): [string, string][] =>
      rests === null || !rests.includes("green before") ? [] : [["evidence", `${name}: ${rests}`]],
    ),
    ...view.gates.map((gate): [string, string] => ["gate", gateText(gate)]),
    ...view.notes.map((note): [string, string] => [
      "noted",
      printableLine(checkpointText(note), RESULT_CHARS_MAX),
    ]),
    ...optional("conflict", conflictText(view.conflict)),
    ...view.bindings.map(({ text, command }): [string, string] => [
      "drift",
      printableLine(`${text}: ${command}`, RESULT_CHARS_MAX),
    ]),
    ...view.overlaps.map((overlap): [string, string] => [
      "overlap",
      printableLine(overlapText(overlap), RESULT_CHARS_MAX),
    ]),
    ...sealLines(view),
    ...optional("drift", view.drift === null ? null : `${view.drift.text}: ${view.drift.command}`),
    ...view.artifacts.map(({ step, path, sha256, bytes }): [string, string] => [
      "artifact",
      printableLine(`${path} of ${step}: ${String(bytes)} bytes, sha256 ${sha256}`, RESULT_CHARS_MAX),
    ]),
    ...view.alarms.map((alarm): [string, string] => [
      "alarm",
      printableLine(alarmText(alarm), RESULT_CHARS_MAX),
    ]),
    ...optional("budget", view.budgetText ?? treeBudgetText(view.tree?.budget)),
    ...view.limits
      .filter(({ pressed }) => pressed)
      .map((limit): [string, string] => ["time", `${limitText(limit)}: nearly over`]),
    ...optional("clock", view.clock === undefined ? null : `${view.clock.at}: ${view.clock.text}`),
    ...optional("result", resultText(view.result)),
    ...shownWork(work),
    ...optional("go on", view.next === work?.commands.accept ? null : view.next),
    ["updated", `${view.updatedAt} (event ${String(view.position)})`],
  ];
  return [...tableLines(rows), ...stepLines(view), ...treeLines(view.tree)];
}

const shownWork = (work: RunWork | null): [string, string][] =>
  (work === null ? [] : workRows(work)).map(([name, text]) => [name, printableLine(text, RESULT_CHARS_MAX)]);

/** Nobody assessed what nothing was shown of: "unverified" says it. */
function realityText(view: StatusView): string | null {
  const { reality } = view;
  if (reality === null) return null;
  const verdict = isUnverified(view) ? "" : `${reality.verdict}: `;
  return printableLine(`${verdict}${reality.why}`, RESULT_CHARS_MAX);
}

/** `stuck (tool_loop)`, `waiting for limit until …`. */
function healthText({ health: { state, pattern, waitsFor, until } }: StatusView): string {
  const why = pattern === null ? "" : ` (${pattern})`;
  const wait = waitsFor === undefined ? "" : ` for ${waitsFor}`;
  return `${state}${why}${wait}${until === undefined ? "" : ` until ${until}`}`;
}

/** `not supervised: nobody notices what becomes of it: holdfast up --detach`. */
function supervisionText({ supervision }: StatusView): string | null {
  if (supervision === undefined || supervision === null) return null;
  const { text, command } = supervision;
  return command === null ? text : `${text}: ${command}`;
}

/** `release: asked (0123456789ab), until …`. */
const gateText = ({
  gate,
  state,
  digest,
  approvedBy,
  proof,
  expiresAt,
}: StatusView["gates"][number]): string =>
  [
    `${gate}: ${state}`,
    ...(digest === null ? [] : [`(${digest.slice(0, 12)})`]),
    ...(approvedBy === null ? [] : [`by ${approvedBy}${proofText(proof)}`]),
    ...(expiresAt === null ? [] : [`until ${expiresAt}`]),
  ].join(" ");

const optional = (name: string, text: string | null): [string, string][] =>
  text === null ? [] : [[name, text]];

/** A run in the user's own folder that waits for nobody has nothing to show about it. */
function workspaceRows({ workspace }: StatusView): [string, string][] {
  if (workspace === null) return [];
  const { folder, branch, ports, waitsFor, trees, notKept, unaccepted } = workspace;
  const range = ports === null ? "" : `, ports ${portsText(ports)}`;
  return [
    ...optional("worktree", branch === null ? null : `${folder} on branch ${branch}${range}`),
    ...optional(
      "work",
      unaccepted === null || branch === null
        ? null
        : `committed on ${branch} (${unaccepted.slice(0, 12)}), not in your branch yet`,
    ),
    ...trees.map((one): [string, string] => [
      "worktree",
      `of ${one.step}: ${one.folder} on branch ${one.branch}${one.ports === null ? "" : `, ports ${portsText(one.ports)}`}`,
    ]),
    ...optional(
      "not kept",
      notKept === null ? null : `in any checkpoint: ${pathsText(notKept.paths, notKept.count)}`,
    ),
    ...optional("waits", waitsFor === null ? null : `for ${waitsFor}, which ${heldText(waitsFor, folder)}`),
  ];
}

const statusText = (view: StatusView): string =>
  view.stop === null
    ? `${view.status}${isUnverified(view) ? ", unverified" : ""}`
    : `${view.status} (${view.stop})`;

const stepText = (step: string, attempt: number | null): string =>
  attempt === null ? `${step}, waiting` : `${step}, attempt ${String(attempt)}`;

const SESSION_TEXT: Readonly<Record<NonNullable<StatusView["blocked"]>["session"], string | null>> = {
  alive: null,
  suspended: "the session is suspended; its work is kept",
  none: null,
};

const leftOutRows = ({ reached = [] }: StatusView): [string, string][] =>
  reached.map(({ detail }) => ["left out", printableLine(detail, RESULT_CHARS_MAX)]);

function blockedRows({ blocked, escalations, undelivered }: StatusView): [string, string][] {
  if (blocked === null) return [];
  const kept =
    SESSION_TEXT[blocked.session] ?? (blocked.attemptKept ? "the attempt is kept" : "the attempt is over");
  return [
    ["blocked", `${blocked.reason}: ${blocked.detail}`],
    ["waits for", `${blocked.owner}; ${kept}`],
    ...escalations.map(({ id }): [string, string] => ["escalation", id]),
    ...undelivered.map((notice): [string, string] => ["notice", undeliveredText(notice)]),
    ...blocked.advice.map((text): [string, string] => ["advice", text]),
    ...blocked.choices.slice(1).map(({ command, does }): [string, string] => ["or", `${command}  (${does})`]),
  ];
}

/** Steps that said nothing, or were skipped, have none that anybody would read. */
const saysNothing = (result: unknown): boolean =>
  typeof result === "object" &&
  result !== null &&
  !Array.isArray(result) &&
  Object.keys(result).length > 0 &&
  Object.values(result).every((value) => value === null);

export const resultText = (result: unknown): string | null => {
  if (result === null || result === undefined || saysNothing(result)) return null;
  return printableLine(typeof result === "string" ? result : JSON.stringify(result), RESULT_CHARS_MAX);
};

function stepLines({ steps }: StatusView): string[] {
  if (steps.length < 2 && steps.every((step) => step.lastFailure === null)) return [];
  const rows = steps.map((step) => [
    step.name,
    step.status,
    String(step.attempts),
    step.agent,
    step.why ?? "",
  ]);
  return ["", ...tableLines([["STEP", "STATUS", "ATTEMPTS", "AGENT", "WHY"], ...rows])];
}

const conflictText = (conflict: StatusView["conflict"]): string | null =>
  conflict === null
    ? null
    : `${String(conflict.times)} times, in ${conflict.files.slice(0, 3).join(", ")}: ${conflict.commands.join(" or ")}`;

const sealLines = (view: StatusView): [string, string][] => [
  ...breachLines(view),
  ...view.withdrawn.map((one): [string, string] => [
    "put back",
    printableLine(withdrawnText(one), RESULT_CHARS_MAX),
  ]),
];

const breachLines = ({ seals }: StatusView): [string, string][] =>
  seals.found.map(({ breach, text, commands }) => [
    breach ? "breach" : "repository",
    printableLine(
      [text, ...commands.map((command) => `to put back: ${command}`)].join("; "),
      RESULT_CHARS_MAX,
    ),
  ]);

const overlapText = ({ run, files, count, overlapPct, command }: StatusView["overlaps"][number]): string =>
  `${run} has changed ${String(count)} of the same files (${String(overlapPct)} %), ${files.slice(0, 3).join(", ")}: ${command}`;
