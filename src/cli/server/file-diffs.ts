import type { Operations, System } from "../../main.ts";
import { Fault } from "../../model/fault.ts";
import { checkpointOf } from "../ask/run-work.ts";
import { unifiedDiff } from "../print/diff/unified-diff.ts";
type Found = Awaited<ReturnType<Operations["fileDiffs"]>>;
type File = Found["files"][number];

const DIFF_CHARS_MAX = 200_000;
const PAGE_CHARS_MAX = 2_000_000;

/** The files that differ between two checkpoints of a run, a page of them, each with its diff. */
export async function fileDiffs(
  system: System,
  order: Parameters<Operations["fileDiffs"]>[0],
): Promise<Found> {
  const state = await system.loadRun(order.run);
  if (state === null) throw new Fault("not_found", `there is no run "${order.run}" in this store`);
  const [a, b] = [checkpointOf(state, order.from), checkpointOf(state, order.to)];
  const place = { project: a.project, tree: a.tree };
  const { changes, count } = await system.ports.workspace.compare(place, a.snapshot.id, b.snapshot.id);
  const wanted = [...changes]
    .sort((one, other) => (one.path < other.path ? -1 : 1))
    .filter(({ path }) => order.path === undefined || path === order.path)
    .filter(({ path }) => order.after === undefined || path > order.after);
  const files: File[] = [];
  let chars = 0;
  for (const { path, kind } of wanted.slice(0, order.limit)) {
    const [before, after] = await Promise.all(
      [a, b].map(({ snapshot }) => system.keptFile(place, snapshot.id, path)),
    );
    const file = fileOf({ path, kind, before: before ?? null, after: after ?? null });
    files.push(file);
    chars += file.diff?.length ?? 0;
    if (chars > PAGE_CHARS_MAX) break;
  }
  const isLast = files.length === wanted.length;
  return { count, files, next: isLast ? null : (files.at(-1)?.path ?? null) };
}

interface Pair {
  readonly path: string;
  readonly kind: string;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
}

function fileOf({ path, kind, before, after }: Pair): File {
  const lines = unifiedDiff({ path, before, after });
  const isShown = !(lines.at(-1) ?? "").startsWith("(not shown: ");
  const text = lines.join("\n");
  return {
    path,
    kind,
    binary: [before, after].some((bytes) => bytes?.includes(0) === true),
    bytesBefore: before?.length ?? null,
    bytesAfter: after?.length ?? null,
    diff: isShown ? text.slice(0, DIFF_CHARS_MAX) : null,
    isCut: isShown && text.length > DIFF_CHARS_MAX,
  };
}
