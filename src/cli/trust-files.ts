import path from "node:path";
import type { System } from "../main.ts";
import type { RunSource } from "../model/flow/bindings.ts";
import { Fault } from "../model/fault.ts";
import type { Obeyed } from "../model/flow/obeyed.ts";
import { printableLine } from "../model/text/printable.ts";
import { protectedTrees } from "../views/status/protected-trees.ts";
import { askRun } from "./ask/ask-run.ts";
import { EXIT } from "./shell/define-command.ts";
import { findRun } from "./run/find-run.ts";
import type { Invocation } from "./shell/invocation.ts";
import { textDiff } from "./print/diff/text-diff.ts";
import { obeyedAtDispatch } from "./trust/dispatch-trust.ts";
import { grantByPerson, untrustedLines } from "./trust/require-trust.ts";
import { readTrust, untrustedOf, type Untrusted } from "./trust/trust-record.ts";

type Shown = Awaited<ReturnType<System["ports"]["guard"]["compare"]>>[number];
interface Seen {
  readonly run: string;
  readonly trees: readonly { readonly tree: string; readonly trusted: string; readonly paths: number }[];
  readonly differences: readonly (Shown & { readonly tree: string })[];
  /** What the run would have obeyed of its repository when it starts something, as it is now. */
  readonly trust: SourceTrust | null;
  readonly obeyed: readonly Obeyed[];
}

type SourceTrust = NonNullable<RunSource["trust"]>;

export interface TrustOptions {
  readonly showDiff?: boolean;
  readonly dryRun?: boolean;
  readonly undo?: boolean;
  /** Files that were undone beside an agent at work, and are the user's. */
  readonly return?: readonly string[];
}

const LINES_SHOWN_MAX = 400;

/**
 * What a person trusts is what they were shown: the files are kept first, and their digest is what the run is asked to
 * trust. A file that an agent changes in between is found by the run's next look.
 */
export async function trustFiles(call: Invocation, text: string, options: TrustOptions): Promise<number> {
  if (options.undo === true && options.dryRun !== true)
    return askRun(call, text, { kind: "trust", trees: [], undo: true });
  if (options.return !== undefined)
    return (await import("./ask/return-files.ts")).returnFiles(call, text, options.return);
  const seen = await call.withSystem("empty", (system) => look(system, text));
  const left =
    seen.trust === null ? [] : untrustedOf(readTrust(call.stateFolder, seen.trust.root), seen.obeyed);
  if (options.showDiff === true || options.dryRun === true)
    for (const line of [...differenceLines(seen, left), ...untrustedLines(left)]) call.output.line(line);
  if (options.dryRun !== true) {
    if (seen.trust !== null && left.length > 0) await grantByPerson(call, seen.trust.root, seen.obeyed);
    return askRun(call, seen.run, { kind: "trust", trees: [...seen.trees] });
  }
  const files = seen.differences.map(({ tree, path: name, act }) => ({ tree, path: name, act }));
  if (files.length > 0 || left.length > 0) call.output.line(`to accept: ${call.command("trust", seen.run)}`);
  if (files.length > 0) call.output.line(`to bring back: ${call.command("trust", seen.run, "--undo")}`);
  call.output.document({ run: seen.run, outcome: "shown", files });
  return EXIT.done;
}

async function look(system: System, text: string): Promise<Seen> {
  const run = await findRun(system.ports.journal, text);
  const state = await system.loadRun(run);
  if (state === null) throw new Fault("not_found", `there is no run "${run}"`);
  const { guard } = system.ports;
  const trees = [];
  const differences = [];
  for (const { tree, trusted, rules } of protectedTrees(state)) {
    const now = await guard.check({ tree, rules, trusted: null, undo: false });
    for (const one of await guard.compare(trusted, now.trusted))
      if (one.act !== "rewritten") differences.push({ ...one, tree });
    trees.push({ tree, trusted: now.trusted, paths: now.paths });
  }
  const trust = state.binding.source?.trust ?? null;
  const folders = trees.map(({ tree }) =>
    path.join(tree, path.relative(trust?.root ?? "", trust?.cwd ?? "")),
  );
  const places = trust === null ? [] : [...new Set([trust.cwd, ...folders])];
  const obeyed = places.flatMap((cwd) => (trust === null ? [] : obeyedAtDispatch(trust, cwd)));
  return { run, trees, differences, trust, obeyed };
}

function differenceLines({ differences }: Seen, untrusted: readonly Untrusted[]): string[] {
  if (differences.length === 0 && untrusted.length > 0) return [];
  if (differences.length === 0) return ["the protected files are as trusted"];
  const lines = differences.flatMap(({ path: name, act, before, after }) => [
    `${printableLine(name, 400)}: ${act}`,
    ...textDiff(before?.toString("utf8") ?? "", after?.toString("utf8") ?? "").map(
      (line) => `  ${printableLine(line, 400)}`,
    ),
  ]);
  const left = lines.length - LINES_SHOWN_MAX;
  return left <= 0 ? lines : [...lines.slice(0, LINES_SHOWN_MAX), `… and ${String(left)} more lines`];
}
