import { Fault } from "../model/fault.ts";
import { isoTime } from "../model/iso-time.ts";
import { pathsText } from "../views/status-workspace.ts";
import { printableLine } from "../model/printable.ts";
import type { RunState } from "../model/run-state.ts";
import type { CheckpointState } from "../model/kept-state.ts";
import { EXIT } from "./exit-codes.ts";
import { stateOf } from "./state-of.ts";
import type { Invocation } from "./invocation.ts";
import { tableLines } from "./table.ts";

export function listCheckpoints(call: Invocation, text: string): Promise<number> {
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

export function diffCheckpoints(call: Invocation, text: string, ids: readonly string[]): Promise<number> {
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
    const { changes, count } = await system.rooms.workspace.compare(place, a.snapshot.id, b.snapshot.id);
    call.output.document({ run: state.run, from, to, count, changes });
    if (count === 0) call.output.line("the same files");
    for (const { path, kind } of changes) call.output.line(`${kind.padEnd(8)} ${printableLine(path, 400)}`);
    if (count > changes.length) call.output.line(`… and ${String(count - changes.length)} more`);
    return EXIT.done;
  });
}

function checkpointOf({ checkpoints, run }: RunState, id: string): CheckpointState {
  const found = Object.hasOwn(checkpoints, id) ? checkpoints[id] : undefined;
  if (found !== undefined) return found;
  const ids = Object.keys(checkpoints);
  throw new Fault("not_found", `${run} has no checkpoint "${id}"; it has ${ids.join(", ") || "none"}`);
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
