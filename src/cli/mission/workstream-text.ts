import type { SystemOptions } from "../../main.ts";
import type { MissionSpec, Workstream } from "../../model/mission/mission-spec.ts";

type Handed = Parameters<NonNullable<SystemOptions["missions"]>["order"]>[2];

/** All that is handed on, in a goal. */
const HANDED_CHARS_MAX = 65_536;
const DIGEST_CHARS = 12;

/** What stands in the task itself, as far as there is room; the rest is handed on as files. */
export function inTask(handed: Handed): ReadonlySet<Handed[number]> {
  const found = new Set<Handed[number]>();
  let left = HANDED_CHARS_MAX;
  for (const one of handed) {
    if (one.text === null || one.text.length > left) continue;
    left -= one.text.length;
    found.add(one);
  }
  return found;
}

/** The task that the agent of a workstream gets: its goal, what all share, and what those before it have handed on. */
export function workstreamText(spec: MissionSpec, { goal }: Workstream, handed: Handed): string {
  const { context, decisions } = spec;
  const parts = [
    goal,
    ...(context === undefined ? [] : [`Context, the same for every workstream:\n${context}`]),
    ...(decisions.length === 0
      ? []
      : [`Decided for all workstreams:\n${decisions.map((one) => `- ${one}`).join("\n")}`]),
  ];
  const short = inTask(handed);
  for (const one of handed) parts.push(handedText(spec, one, short.has(one)));
  return parts.join("\n\n");
}

function handedText({ workstreams }: MissionSpec, one: Handed[number], isShort: boolean): string {
  const repository = workstreams.find(({ id }) => id === one.from)?.repository ?? "";
  const what = one.isDecisions ? "Decided by" : "Delivered by";
  const head = `${what} the workstream ${one.from} in ${repository}: ${one.path} (${String(one.bytes)} bytes, SHA-256 ${one.digest.slice(0, DIGEST_CHARS)})`;
  return isShort
    ? `${head}\n---\n${(one.text ?? "").trimEnd()}\n---`
    : `${head}; it is too long to stand here, and is one of the files that you are given`;
}
