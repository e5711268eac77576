import type { System } from "../../../main.ts";
import { printable } from "../../../model/text/printable.ts";
import { EXIT } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { changesOf, workSpan, type WorkSpan } from "../../ask/run-work.ts";
import { stateOf } from "../../run/state-of.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** Prints what a run has changed since its beginning, or since a checkpoint. */
export function showChanges(
  call: Invocation,
  text: string | undefined,
  since: string | undefined,
  { stat = false }: { readonly stat?: boolean },
): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const state = await stateOf(system, text);
    const span = workSpan(state, since);
    if (span === null) {
      call.output.document({ run: state.run, from: null, to: null, count: 0, changes: [] });
      call.output.line(`${state.run} has no checkpoints, so that it is not known what it changed`);
      return EXIT.done;
    }
    const { changes, count } = await changesOf(system.ports, span);
    const from = span.from.id;
    const to = span.to.id;
    const shown: { path: string; kind: string; diff?: string }[] = [];
    if (!call.output.json) call.output.note(`${state.run}: ${countText(count)} from ${from} to ${to}`);
    for (const { path, kind } of changes) {
      const diff = stat ? null : await diffOf(system, span, path);
      shown.push({ path, kind, ...(diff === null ? {} : { diff: diff.join("\n") }) });
      if (diff === null) call.output.line(`${kind.padEnd(8)} ${path}`);
      else for (const line of diff) printDiffLine(call, line);
    }
    call.output.document({ run: state.run, from, to, count, changes: shown });
    if (count > changes.length && !call.output.json)
      call.output.note(`… and ${String(count - changes.length)} more files`);
    return EXIT.done;
  });
}

const countText = (count: number): string => `${String(count)} ${count === 1 ? "file" : "files"} changed`;

async function diffOf(system: System, span: WorkSpan, path: string): Promise<string[]> {
  const place = { project: span.project, tree: span.tree };
  const [before, after] = await Promise.all([
    system.keptFile(place, span.from.snapshot.id, path),
    system.keptFile(place, span.to.snapshot.id, path),
  ]);
  return unifiedDiff({ path, before, after });
}

const COLOURS: Readonly<Record<string, string>> = { "+": "\u001b[32m", "-": "\u001b[31m", "@": "\u001b[36m" };

function printDiffLine({ output }: Invocation, line: string): void {
  const colour = output.live ? COLOURS[line.charAt(0)] : undefined;
  if (colour === undefined) output.verbatim(line);
  else output.product(`${colour}${printable(line)}\u001b[0m\n`);
}
