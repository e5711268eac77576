import type { SystemOptions } from "../../main.ts";
import type { MissionSpec, Workstream } from "../../model/mission/mission-spec.ts";

type Handed = Parameters<NonNullable<SystemOptions["missions"]>["order"]>[2];

/** All that is handed on, in a goal. */
const HANDED_CHARS_MAX = 65_536;
const DIGEST_CHARS = 12;

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
  let left = HANDED_CHARS_MAX;
  for (const one of handed) {
    const isShort = one.text !== null && one.text.length <= left;
    if (isShort) left -= one.text?.length ?? 0;
    parts.push(handedText(spec, one, isShort));
  }
  return parts.join("\n\n");
}

function handedText({ workstreams }: MissionSpec, one: Handed[number], isShort: boolean): string {
  const repository = workstreams.find(({ id }) => id === one.from)?.repository ?? "";
  const what = one.isDecisions ? "Decided by" : "Delivered by";
  const head = `${what} the workstream ${one.from} in ${repository}: ${one.path} (${String(one.bytes)} bytes, SHA-256 ${one.digest.slice(0, DIGEST_CHARS)})`;
  return isShort
    ? `${head}\n---\n${(one.text ?? "").trimEnd()}\n---`
    : `${head}, which is too long to stand here`;
}
