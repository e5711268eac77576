import type { MissionView, WorkstreamView } from "../../views/mission/mission-document.ts";
import { spentText } from "./continuous-lines.ts";
import { tableLines } from "./table.ts";

const TEXT_CHARS_MAX = 60;
const COMMIT_CHARS = 12;

/** A mission as people read it: where it stands, what differs, its workstreams and its repositories. */
export function missionLines(view: MissionView): string[] {
  const { autopilotStop, block } = view;
  return [
    `${view.mission}  ${headOf(view)}`,
    spentText(view.budget),
    ...(autopilotStop === null || view.status === "ended"
      ? []
      : [`the autopilot has stopped (${autopilotStop.reason}): ${autopilotStop.text}`]),
    ...view.blockedBy.flatMap(({ run, reason, detail, command }) => [
      `blocked by ${run} (${reason}): ${detail}`,
      `  ${command}`,
    ]),
    ...(block === null
      ? []
      : [`the acceptance is held (${block.kind}): ${block.detail}`, `  ${block.command}`]),
    ...view.reconciliationRequired.flatMap(({ kind, text, command }) => [
      `reconciliation required (${kind}): ${text}`,
      `  ${command}`,
    ]),
    "",
    ...tableLines([
      ["WORKSTREAM", "STATUS", "REPOSITORY", "RUN", "WHAT"],
      ...view.workstreams.map(workstreamRow),
    ]),
    ...barrierLines(view),
    "",
    ...tableLines([["REPOSITORY", "BRANCH", "AT", "NOT COMMITTED"], ...view.repositories.map(repositoryRow)]),
    ...view.repositories.flatMap(({ name, url, push }) =>
      push === null ? [] : [`the accepted work of ${name} is not pushed to ${url ?? ""}`, `  ${push}`],
    ),
    ...historyLines(view),
    ...(view.command === null ? [] : ["", `continue with ${view.command}`]),
  ];
}

function headOf({ status, text, stoppedBy, pausedBy, autopilot, wave }: MissionView): string {
  if (status === "ended") return `ended: ${text ?? ""}`;
  if (stoppedBy !== null) return `stopped by ${stoppedBy}`;
  if (pausedBy !== null) return `paused by ${pausedBy}`;
  return `${status.replaceAll("_", " ")}${autopilot === null || wave === null ? "" : `, wave ${String(wave)}`}`;
}

const workstreamRow = ({ id, status, repository, run, goal, text, waitsFor }: WorkstreamView): string[] => [
  id,
  status.replaceAll("_", " "),
  repository,
  run ?? "",
  cut(waitsFor.length > 0 ? `waits for ${waitsFor.join(", ")}` : (text ?? goal)),
];

function barrierLines({ barriers }: MissionView): string[] {
  if (barriers.length === 0) return [];
  const rows = barriers.map(({ name, of, open, by, text }) => [
    name,
    open ? (by === null ? "open" : `open by ${by}`) : "closed",
    of.join(", "),
    text ?? "",
  ]);
  return ["", ...tableLines([["BARRIER", "STATUS", "OF", "WHY"], ...rows])];
}

const repositoryRow = ({ path, branch, stand, dirty }: MissionView["repositories"][number]): string[] => [
  path,
  stand === null
    ? "is not there"
    : (stand.branch ?? "no branch") === branch
      ? branch
      : `${stand.branch ?? "none"}, not ${branch}`,
  stand?.commit?.slice(0, COMMIT_CHARS) ?? "",
  cut(dirty.join(", ")),
];

/** Retries stay visible. */
function historyLines({ workstreams }: MissionView): string[] {
  const retried = workstreams.filter(({ tries }) => tries.length > 1);
  if (retried.length === 0) return [];
  const rows = retried.flatMap(({ id, tries }) =>
    tries.map(({ run, by, end, status, text }) => [
      id,
      run,
      by,
      end ?? status ?? "not begun",
      cut(text ?? ""),
    ]),
  );
  return ["", ...tableLines([["TRIES OF", "RUN", "BY", "ENDED", "WHY"], ...rows])];
}

const cut = (text: string): string =>
  text.length <= TEXT_CHARS_MAX ? text : `${text.slice(0, TEXT_CHARS_MAX - 1)}…`;
