import { Fault } from "../model/fault.ts";
import { autoApprovalViews } from "../views/auto-approval.ts";
import { EXIT } from "./shell/define-command.ts";
import type { Invocation } from "./shell/invocation.ts";
import { stateOf } from "./run/state-of.ts";

/** Shows what the conditions of a gate say of the work that waits there; nothing is asked of the run. */
export function showAutoApproval(
  call: Invocation,
  named: string | undefined,
  gate: string | undefined,
): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const state = await stateOf(system, named);
    const all = autoApprovalViews(state);
    const shown = gate === undefined ? all : all.filter((one) => one.gate === gate);
    if (gate !== undefined && shown.length === 0)
      throw new Fault(
        "not_found",
        `${state.run} has no gate "${gate}"; its gates are ${all.map((one) => one.gate).join(", ") || "none"}`,
      );
    call.output.document({ run: state.run, gates: shown });
    if (shown.length === 0) call.output.line(`${state.run} has no gates`);
    for (const { gate: name, wouldApprove, text, findings } of shown) {
      call.output.line(
        `gate ${name}: ${wouldApprove ? "would be approved by itself" : "a person is asked"}${text}`,
      );
      for (const { met, why } of findings) call.output.line(`  ${met ? "yes" : "no "}  ${why}`);
    }
    return EXIT.done;
  });
}
