import { autoFindings } from "../decide/auto-approval.ts";
import type { AutoFindings } from "../model/auto-approval.ts";
import type { RunState } from "../model/state/run-state.ts";

export interface AutoApprovalView {
  readonly gate: string;
  readonly wouldApprove: boolean;
  /** Why nothing can be said yet, or that nothing is decided by conditions. */
  readonly text: string;
  readonly findings: AutoFindings["findings"];
}

/** What the conditions of each gate say of the work as it was last looked at. */
export function autoApprovalViews(state: RunState): AutoApprovalView[] {
  return Object.values(state.gates)
    .filter(({ spec }) => spec !== null)
    .map((gate): AutoApprovalView => {
      const { name, spec, look, asked } = gate;
      if (spec?.auto === true && spec.credentialed !== true)
        return { gate: name, wouldApprove: true, text: ", always (auto: true)", findings: [] };
      const found = autoFindings(state, gate);
      if (found === null)
        return { gate: name, wouldApprove: false, text: "; it has no conditions", findings: [] };
      if (look === null && asked === null)
        return {
          gate: name,
          wouldApprove: false,
          text: "; its work is not done yet",
          findings: found.findings,
        };
      return {
        gate: name,
        wouldApprove: found.met,
        text: found.dryRun ? " (dryRun)" : "",
        findings: found.findings,
      };
    });
}
