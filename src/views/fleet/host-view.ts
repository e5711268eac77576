import { drainOf, hostState, type HostRecord, type HostState } from "../../model/host/host-record.ts";
import { isoTime } from "../../model/text/iso-time.ts";

/** One host, as `hosts` shows it. */
export interface HostView {
  readonly id: string;
  readonly name: string;
  readonly state: HostState;
  readonly drainedBy: string | null;
  /** Whether it has received yet that it is to drain; null where nobody wants it to. */
  readonly drain: "requested" | "received" | null;
  readonly version: string;
  readonly boot: string;
  /** Runs that it works now, of those that it works at once. */
  readonly runs: number;
  readonly slots: number;
  readonly agents: readonly string[];
  /** What it has, for runs that ask for it. */
  readonly labels: readonly string[];
  readonly freeMemoryBytes: number;
  readonly freeDiskBytes: number | null;
  readonly joinedAt: string;
  readonly beats: number;
  /** Since its last beat, by the clock of the store. */
  readonly silentMs: number;
}

export function hostView(record: HostRecord, runs: number): HostView {
  const { facts, drainedBy, joinedAt, beats, silentMs } = record;
  const { id, name, version, boot, slots, agents, freeMemoryBytes, freeDiskBytes, labels = [] } = facts;
  const state = hostState(record);
  return {
    ...{
      id,
      name,
      state,
      drainedBy,
      drain: drainOf(record),
      version,
      boot,
      slots,
      agents,
      labels,
      freeMemoryBytes,
      freeDiskBytes,
    },
    ...{ runs: state === "down" ? 0 : runs, joinedAt: isoTime(joinedAt), beats, silentMs },
  };
}

const GIB = 2 ** 30;
const size = (bytes: number | null): string =>
  bytes === null ? "?" : `${String(Math.round((bytes / GIB) * 10) / 10)} GiB`;

export const HOST_COLUMNS: readonly string[] = [
  "HOST",
  "STATE",
  "RUNS",
  "VERSION",
  "MEMORY FREE",
  "DISK FREE",
  "SEEN",
  "AGENTS",
  "LABELS",
];

export const hostRow = (host: HostView): string[] => [
  host.name,
  stateText(host),
  `${String(host.runs)} of ${String(host.slots)}`,
  host.version,
  size(host.freeMemoryBytes),
  size(host.freeDiskBytes),
  `${String(Math.round(host.silentMs / 1_000))} s ago`,
  host.agents.join(", "),
  host.labels.join(", "),
];

function stateText({ state, drain, drainedBy }: HostView): string {
  if (drainedBy === null || state === "down") return state;
  return drain === "requested" ? `${state} (drain requested by ${drainedBy})` : `${state} (${drainedBy})`;
}
