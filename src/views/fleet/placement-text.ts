import { mayTake } from "../../decide/fleet/placement.ts";
import { hostState, type HostRecord } from "../../model/host/host-record.ts";
import type { Placement } from "../../model/host/placement.ts";

/** Why no host takes a queued run; null where one may, or hosts do not share the store. */
export function placementText(
  asked: Placement | undefined,
  hosts: readonly HostRecord[] | undefined,
): string | null {
  if (hosts === undefined || hosts.length === 0) return null;
  const fit = hosts.filter(({ facts }) => mayTake(asked, { ...facts, labels: facts.labels ?? [] }));
  const states = fit.map(hostState);
  if (states.some((state) => state === "up" || state === "joining")) return null;
  const what = `waits for ${wantedText(asked)}`;
  if (fit.length === 0)
    return `${what}: ${asked?.host === undefined ? "no host has them" : "there is none; `hosts` lists those that are"}`;
  const those = fit.map(({ facts: { name } }, index) => `${name} (${states[index] ?? "down"})`).join(", ");
  return `${what}: those that fit take no runs now: ${those}`;
}

function wantedText(asked: Placement | undefined): string {
  const { host, labels = [] } = asked ?? {};
  const having = labels.length === 0 ? "" : ` with the labels ${labels.join(", ")}`;
  return host === undefined ? `a host${having}` : `the host ${host}${having}`;
}
