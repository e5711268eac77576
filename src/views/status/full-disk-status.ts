import { recoveryOf } from "../../decide/recovery/recovery.ts";
import { commandText } from "../../model/text/command-text.ts";
import { HOST_FAULT_TEXT, fullDiskText, type FullDisk } from "../../model/host/host-fault.ts";
import type { StatusBlocked, StatusView } from "./status.ts";

/** The disk of the store is full: what that means for every run of it, and what shows more. */
export interface FullDiskView {
  readonly reason: "disk_full";
  readonly folder: string;
  readonly text: string;
  readonly owner: string;
  readonly advice: string;
  readonly command: string;
}

export function fullDiskView(full: readonly FullDisk[], store: string | null): FullDiskView | null {
  const [first] = full;
  if (first === undefined) return null;
  const { owner, advice } = recoveryOf("disk_full");
  return {
    reason: "disk_full",
    folder: first.folder,
    text: `${fullDiskText(first)}; nothing can be recorded, agents work on, and the supervisor continues as soon as there is room; ${HOST_FAULT_TEXT.disk.help}`,
    owner,
    advice,
    command: commandText(["doctor"], store),
  };
}

/**
 * A status as it is where the disk of the store is full: nothing more can be recorded, no matter what the run looks
 * like. So the run is blocked as `disk_full`, which stands in no journal and is over as soon as there is room.
 */
export function withFullDisks(view: StatusView, full: readonly FullDisk[], store: string | null): StatusView {
  const disk = fullDiskView(full, store);
  if (disk === null || OVER.has(view.status)) return view;
  const { text, command } = disk;
  const fault = { fault: "disk", since: null, what: "the store", text, command } as const;
  const health = {
    ...view.health,
    state: "waiting",
    pattern: "host_fault",
    waitsFor: "host",
    evidence: [text, ...view.health.evidence],
  };
  const hostFaults = [fault, ...view.hostFaults];
  if (view.blocked !== null) return { ...view, health, hostFaults };
  const blocked = fullDiskBlocked(view, text, fault.command);
  return { ...view, status: "blocked", stop: "panic", health, hostFaults, blocked, next: fault.command };
}

const fullDiskBlocked = (view: StatusView, detail: string, command: string): StatusBlocked => ({
  reason: "disk_full",
  detail,
  owner: recoveryOf("disk_full").owner,
  command,
  choices: [{ command, does: "continues once there is room" }],
  gate: null,
  digest: null,
  attemptKept: true,
  session: view.attempt === null ? "none" : "alive",
  guidance: [],
  advice: [recoveryOf("disk_full").advice],
});

const OVER: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);
