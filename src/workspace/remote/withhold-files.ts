import { rmSync } from "node:fs";
import path from "node:path";
import { bytePath, bytesOf, nameOf, toText, type BytePath } from "../snapshot/byte-path.ts";
import { listSnapshot } from "../snapshot/list-snapshot.ts";
import { runGit } from "../git/run-git.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import type { Skipped } from "../workspace.ts";

/** Names of files in which secrets are kept. Examples of them are for everybody. */
const SECRET =
  /^(\.env(\..+)?|\.envrc|\.netrc|\.pgpass|\.git-credentials|id_(rsa|dsa|ecdsa|ed25519)|.+\.(pem|p12|pfx|key|keystore))$/i;
const EXAMPLE = /\.(example|sample|template|dist)$/i;

export const isSecretName = (name: string): boolean => SECRET.test(name) && !EXAMPLE.test(name);

/** Who writes a commit that is for machines only. */
export const asHoldfast = (atMs: number): Record<string, string> => {
  const at = `@${String(Math.floor(atMs / 1_000))} +0000`;
  return {
    GIT_AUTHOR_NAME: "Holdfast",
    GIT_AUTHOR_EMAIL: "holdfast@localhost",
    GIT_AUTHOR_DATE: at,
    GIT_COMMITTER_NAME: "Holdfast",
    GIT_COMMITTER_EMAIL: "holdfast@localhost",
    GIT_COMMITTER_DATE: at,
  };
};

interface Sendable {
  /** The snapshot itself where all of it may be sent. */
  readonly id: string;
  readonly withheld: readonly BytePath[];
}

/** The same snapshot without files in which secrets are kept, unless the commit that is sent holds them as they are. */
export async function sendable(
  handle: SnapshotHandle,
  id: string,
  committed: ReadonlyMap<BytePath, string>,
): Promise<Sendable> {
  const { files } = await listSnapshot(handle, id);
  const withheld = [...files]
    .filter(([file, { oid }]) => isSecretName(nameOf(file)) && committed.get(file) !== oid)
    .map(([file]) => file);
  return withheld.length === 0 ? { id, withheld } : { id: await without(handle, id, withheld), withheld };
}

/** Files in which secrets could be, as a commit of the user's repository has them. */
export async function committedSecrets(shadow: string, commit: string): Promise<Map<BytePath, string>> {
  const { output } = await runGit({ gitDir: shadow, args: ["ls-tree", "-r", "-z", "--full-tree", commit] });
  const entries = bytePath(output).split("\0");
  return new Map(
    entries.flatMap((line): [BytePath, string][] => {
      const tab = line.indexOf("\t");
      const file = line.slice(tab + 1);
      const oid = line.slice(0, tab).split(" ")[2] ?? "";
      return isSecretName(nameOf(file)) ? [[file, oid]] : [];
    }),
  );
}

const NO_OBJECT = "0".repeat(40);

async function without(
  { store, world }: SnapshotHandle,
  id: string,
  files: readonly BytePath[],
): Promise<string> {
  const { gitDir } = store;
  const index = path.join(store.folder, `index-upload-${world.id("upload")}`);
  const call = { gitDir, index };
  try {
    await runGit({ ...call, args: ["read-tree", id] });
    const input = bytesOf(files.map((file) => `0 ${NO_OBJECT}\tfiles/${file}\0`).join(""));
    await runGit({ ...call, input, args: ["update-index", "-z", "--index-info"] });
    const tree = (await runGit({ ...call, args: ["write-tree"] })).output.toString().trim();
    return await commitAs(gitDir, tree, { of: id, files });
  } finally {
    rmSync(index, { force: true });
  }
}

interface Facts {
  readonly atMs: number;
  readonly skipped: Skipped;
}

async function commitAs(
  gitDir: string,
  tree: string,
  { of, files }: { readonly of: string; readonly files: readonly BytePath[] },
): Promise<string> {
  const { output } = await runGit({ gitDir, args: ["cat-file", "commit", of] });
  const text = output.toString();
  const facts = JSON.parse(text.slice(text.indexOf("\n\n") + 2)) as Facts;
  const { skipped, atMs } = facts;
  const first = [
    ...skipped.first,
    ...files.map((file) => ({ path: toText(file), reason: "not_kept" as const })),
  ];
  const now = { ...facts, skipped: { count: skipped.count + files.length, first }, whole: false };
  const args = ["commit-tree", tree, "-F", "-"];
  const made = await runGit({ gitDir, args, input: `${JSON.stringify(now)}\n`, env: asHoldfast(atMs) });
  return made.output.toString().trim();
}
