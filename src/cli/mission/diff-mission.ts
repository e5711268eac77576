import { EXIT } from "../shell/define-command.ts";
import type { Invocation } from "../shell/invocation.ts";
import { missionAtHand, viewOf } from "./mission-at-hand.ts";

/** Everything that one approval takes in: the work of every workstream, in the order in which it is accepted. */
export function diffMission(call: Invocation, named: string | undefined): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const state = await missionAtHand(call, system, named);
    const view = await viewOf(call, system, state);
    const inOrder = view.order.flatMap((id) =>
      view.workstreams.filter((one) => one.id === id && one.commit !== null),
    );
    const diffs = [];
    for (const { id, repository, commit, found } of inOrder) {
      const patch = await system.missions.patch(state, id);
      diffs.push({ workstream: id, repository, commit, found, patch });
      call.output.line(
        `${id} in ${repository} (${commit?.slice(0, 12) ?? ""}), ${HOW[found ?? "unknown"] ?? found ?? ""}`,
      );
      for (const line of (patch ?? "its changes are not there any more").trimEnd().split("\n"))
        call.output.verbatim(line);
      call.output.line("");
    }
    const approve =
      view.digest === null ? null : call.command("mission", "approve", state.name, "--digest", view.digest);
    call.output.document({ mission: state.name, digest: view.digest, diffs, command: approve });
    call.output.line(
      approve === null
        ? "not all workstreams are done: nothing can be approved yet"
        : `approve all of it with ${approve}`,
    );
    return EXIT.done;
  });
}

const HOW: Readonly<Record<string, string>> = {
  already: "in your branch already",
  fast_forward: "a fast-forward",
  merge: "a clean merge",
  conflict: "in conflict with your branch",
  missing: "which the repository does not hold",
  unknown: "not looked at",
};
