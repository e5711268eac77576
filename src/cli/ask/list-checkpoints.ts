import { Fault } from "../../model/fault.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { pathsText } from "../../views/status/status-workspace.ts";
import { printableLine } from "../../model/text/printable.ts";
import type { CheckpointState } from "../../model/state/kept-state.ts";
import { EXIT } from "../shell/define-command.ts";
import { checkpointOf } from "./run-work.ts";
import { stateOf } from "../run/state-of.ts";
import type { Invocation } from "../shell/invocation.ts";
import { tableLines } from "../print/table.ts";

export function listCheckpoints(call: Invocation, text: string | undefined): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const state = await stateOf(system, text);
    const checkpoints = Object.values(state.checkpoints).map(viewOf);
    call.output.document({ run: state.run, checkpoints });
    if (checkpoints.length === 0) call.output.line(`${state.run} has no checkpoints yet`);
    else
      for (const line of tableLines([
        ["ID", "AT", "CAUSE", "FILES", "NOT KEPT", "BRANCH", "NOTE"],
        ...checkpoints.map(({ id, at, cause, files, skipped, skippedPaths, branch, note }) => [
          id,
          at,
          cause,
          String(files),
          skipped === 0 ? "-" : printableLine(pathsText(skippedPaths, skipped), 120),
          branch ?? "-",
          printableLine(note ?? "", 80),
        ]),
      ]))
        call.output.line(line);
    return EXIT.done;
  });
}

export function diffCheckpoints(
  call: Invocation,
  text: string | undefined,
  ids: readonly string[],
): Promise<number> {
  const [from, to, ...more] = ids;
  if (from === undefined || to === undefined || more.length > 0)
    throw new Fault(
      "usage",
      `--diff ${ids.join(" ")} names no pair; expected two checkpoints such as --diff c2 c5`,
    );
  return call.withSystem("empty", async (system) => {
    const state = await stateOf(system, text);
    const [a, b] = [checkpointOf(state, from), checkpointOf(state, to)];
    const place = { project: a.tree, tree: a.tree };
    const { changes, count } = await system.ports.workspace.compare(place, a.snapshot.id, b.snapshot.id);
    call.output.document({ run: state.run, from, to, count, changes });
    if (count === 0) call.output.line("the same files");
    for (const { path, kind } of changes) call.output.line(`${kind.padEnd(8)} ${printableLine(path, 400)}`);
    if (count > changes.length) call.output.line(`… and ${String(count - changes.length)} more`);
    return EXIT.done;
  });
}

const viewOf = ({ id, at, cause, note, tree, seq, snapshot }: CheckpointState) => ({
  id,
  at: isoTime(at),
  cause,
  note,
  tree,
  position: seq,
  snapshot: snapshot.id,
  digest: snapshot.digest,
  files: snapshot.files,
  branch: snapshot.branch,
  commit: snapshot.commit,
  skipped: snapshot.skipped,
  skippedPaths: snapshot.skippedPaths ?? [],
});
