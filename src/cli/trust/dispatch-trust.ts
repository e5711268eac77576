import path from "node:path";
import type { RunSource } from "../../model/bindings.ts";
import { commandText } from "../../model/command-text.ts";
import { errorText } from "../../model/fault.ts";
import { obeyedAgent, type Obeyed } from "../../model/obeyed.ts";
import type { AgentSpec } from "../../model/flow.ts";
import { printableLine } from "../../model/printable.ts";
import { agentConfigFiles, obeyedFile } from "./obeyed-files.ts";
import { readTrust, untrustedOf } from "./trust-record.ts";

type SourceTrust = NonNullable<RunSource["trust"]>;

/** What is executed or obeyed when something of a run is started in a folder, as it is now. */
export function obeyedAtDispatch(trust: SourceTrust, cwd: string): Obeyed[] {
  const { root, programs, agentConfig } = trust;
  const tree = treeRoot(trust, cwd);
  const files = programs.flatMap((file) =>
    [...new Set([root, tree])].map((folder) => ({ folder, file: path.resolve(folder, file) })),
  );
  const configured = agentConfig ? agentConfigFiles({ root: tree, cwd }) : [];
  return [...files, ...configured.map((file) => ({ folder: tree, file }))].flatMap(
    ({ folder, file }) => obeyedFile(file, folder) ?? [],
  );
}

/** The root of the tree that a step works in: a worktree or a copy has the same folders below its root. */
function treeRoot({ root, cwd: begun }: SourceTrust, cwd: string): string {
  const below = path.relative(root, begun);
  if (below === "") return cwd;
  return cwd.endsWith(`${path.sep}${below}`) ? cwd.slice(0, -below.length - 1) : cwd;
}

/**
 * Whether what a run obeys is still what a person trusted: looked at whenever something is started, by whichever
 * supervisor starts it. Answers what is not, in words; null where all is trusted, or nothing needs to be.
 */
export const dispatchTrust =
  (stateFolder: string) =>
  (source: RunSource, cwd: string): string | null => {
    const { trust } = source;
    if (trust === undefined) return null;
    try {
      const left = untrustedOf(readTrust(stateFolder, trust.root), obeyedAtDispatch(trust, cwd));
      const names = left.map(
        ({ obeyed, before }) => `${printableLine(obeyed.key, 200)} (${before === null ? "new" : "changed"})`,
      );
      if (names.length === 0) return null;
      return `${names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${String(names.length - 5)} more` : ""}`;
    } catch (error) {
      return errorText(error);
    }
  };

/** Agents that the files bind otherwise now, and nobody has trusted so. */
export function untrustedBinding(
  stateFolder: string,
  { trust }: RunSource,
  agents: Readonly<Record<string, AgentSpec>>,
): string | null {
  if (trust === undefined) return null;
  const named = Object.entries(agents).flatMap(([name, spec]) => obeyedAgent(name, spec) ?? []);
  const left = untrustedOf(readTrust(stateFolder, trust.root), named);
  if (left.length === 0) return null;
  const names = left.map(({ obeyed }) => printableLine(obeyed.key, 200)).join(", ");
  return `${names} changed and is not trusted so; in ${trust.root}: ${commandText(["trust", "--yes"], null)}`;
}
