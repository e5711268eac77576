import path from "node:path";
import type { RunSource, Started } from "../../model/flow/bindings.ts";
import { commandText } from "../../model/text/command-text.ts";
import { executedByShell } from "../../model/text/executed-words.ts";
import { errorText } from "../../model/fault.ts";
import { obeyedAgent, type Obeyed } from "../../model/flow/obeyed.ts";
import type { AgentSpec } from "../../model/flow/flow.ts";
import { printableLine } from "../../model/text/printable.ts";
import { agentConfigFiles, obeyedFile } from "./obeyed-files.ts";
import { readTrust, untrustedOf } from "./trust-record.ts";

type SourceTrust = NonNullable<RunSource["trust"]>;

/** Everything that is executed or obeyed when something of a run is started in a folder, as it is now. */
export function obeyedAtDispatch(trust: SourceTrust, cwd: string): Obeyed[] {
  const { programs, checks = [] } = trust;
  return [...obeyedIn(trust, [...programs, ...checks], cwd), ...agentConfigIn(trust, cwd)];
}

function obeyedBy(trust: SourceTrust, started: Started): Obeyed[] {
  const { programs, checks = [] } = trust;
  switch (started.kind) {
    case "in tree":
      return [...obeyedIn(trust, programs, started.cwd), ...agentConfigIn(trust, started.cwd)];
    case "apart":
      return obeyedIn(trust, programs, trust.cwd);
    case "command": {
      const tree = treeRoot(trust, started.cwd);
      const words = executedByShell(started.command);
      const named = new Set(words.map((word) => path.relative(tree, path.resolve(started.cwd, word))));
      const files = [...programs, ...checks].filter((file) => named.has(file));
      return obeyedIn(trust, files, started.cwd);
    }
  }
}

/** Files of the repository, where the run was begun and in the tree that a step works in. */
function obeyedIn(trust: SourceTrust, files: readonly string[], cwd: string): Obeyed[] {
  const folders = [...new Set([trust.root, treeRoot(trust, cwd)])];
  return files.flatMap((file) =>
    folders.flatMap((folder) => obeyedFile(path.resolve(folder, file), folder) ?? []),
  );
}

function agentConfigIn(trust: SourceTrust, cwd: string): Obeyed[] {
  if (!trust.agentConfig) return [];
  const tree = treeRoot(trust, cwd);
  return agentConfigFiles({ root: tree, cwd }).flatMap((file) => obeyedFile(file, tree) ?? []);
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
  (source: RunSource, started: Started): string | null => {
    const { trust } = source;
    if (trust === undefined) return null;
    try {
      const left = untrustedOf(readTrust(stateFolder, trust.root), obeyedBy(trust, started));
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
