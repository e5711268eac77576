import { commandText } from "../model/command-text.ts";
import { HOST_FAULT_TEXT, fullDiskText, type FullDisk } from "../model/host-fault.ts";
import type { StatusView } from "./status.ts";

/** A status as it is where the disk of the store is full: nothing more can be recorded, whatever the run looks like. */
export function withFullDisks(view: StatusView, full: readonly FullDisk[], store: string | null): StatusView {
  const [first] = full;
  if (first === undefined || OVER.has(view.status)) return view;
  const text = `${fullDiskText(first)}; nothing can be recorded, agents work on, and the supervisor continues as soon as there is room; ${HOST_FAULT_TEXT.disk.help}`;
  const fault = {
    fault: "disk",
    since: null,
    what: "the store",
    text,
    command: commandText(["doctor"], store),
  } as const;
  const health = {
    ...view.health,
    state: "waiting",
    pattern: "host_fault",
    waitsFor: "host",
    evidence: [text, ...view.health.evidence],
  };
  return { ...view, health, hostFaults: [fault, ...view.hostFaults] };
}

const OVER: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);
