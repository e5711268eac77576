import { statusOf, type StatusKind } from "../../ui/status-of.ts";
import type { RunDocument } from "./run-document.ts";

/** How the run stands, for its mark: the same rule as in lists. */
export const runStatus = ({ status, health, supervision, reality }: RunDocument): StatusKind =>
  statusOf({
    status,
    health: health.state,
    supervision: supervision?.state ?? null,
    end: status === "completed" && reality !== null && isUnverified(reality) ? "unverified" : null,
  });

/** Completed on the agents' word alone. */
const isUnverified = ({ verdict }: { readonly verdict: string }): boolean => verdict === "NEEDS WORK";
