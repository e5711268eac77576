import { Fault } from "../../model/fault.ts";
import { runGit } from "../git/run-git.ts";
import { inTransaction } from "../snapshot/project-store.ts";
import { readObjects } from "../snapshot/read-objects.ts";
import { holdRef } from "../snapshot/retention.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import { verifyWhole } from "../snapshot/verify-snapshot.ts";
import type { Snapshot } from "../workspace.ts";
import type { DownloadOrder, Piece } from "./remote-orders.ts";

/** What was sent, read back. */
export interface Parcel {
  readonly snapshots: readonly string[];
  readonly pieces: readonly Piece[];
}

/** The commit is the one that the journal names, so everything in it is what was sent. */
export async function readParcel(
  gitDir: string,
  { ref, commit, remote }: { readonly ref: string; readonly commit: string; readonly remote: string },
): Promise<Parcel> {
  const found = (await runGit({ gitDir, args: ["rev-parse", "--verify", ref] })).output.toString().trim();
  if (found !== commit)
    throw new Fault(
      "store_failed",
      `${remote} holds ${found}; expected ${commit}, as the journal says: somebody else writes there`,
      { retry: "later" },
    );
  const text = (await runGit({ gitDir, args: ["cat-file", "commit", commit] })).output.toString();
  const head = text.slice(0, text.indexOf("\n\n")).split("\n");
  const snapshots = head.flatMap((line) => (line.startsWith("parent ") ? [line.slice(7)] : []));
  return { snapshots, pieces: await readPieces(gitDir, commit) };
}

async function readPieces(gitDir: string, commit: string): Promise<Piece[]> {
  const { output } = await runGit({ gitDir, args: ["ls-tree", "-z", "--full-tree", commit] });
  const oids = new Map(
    output
      .toString()
      .split("\0")
      .filter((line) => line !== "")
      .map((line): [string, string] => [
        line.slice(line.indexOf("\t") + 1),
        line.slice(0, line.indexOf("\t")).split(" ")[2] ?? "",
      ]),
  );
  const objects = await readObjects(gitDir, [...new Set(oids.values())]);
  const bytesOf = (name: string): Uint8Array => {
    const bytes = objects?.get(oids.get(name) ?? "")?.bytes;
    if (bytes !== undefined) return bytes;
    throw new Fault("store_failed", `${name} of the upload ${commit} is missing; expected it whole`, {
      retry: "later",
    });
  };
  const manifest = JSON.parse(Buffer.from(bytesOf("manifest")).toString()) as { readonly pieces: string[] };
  return manifest.pieces.map((name, at) => ({ name, bytes: bytesOf(`p${String(at + 1)}`) }));
}

/** Each snapshot is verified, held by a ref of its own, and recorded like one that was taken here. */
export async function recordSnapshots(
  { store }: SnapshotHandle,
  ids: readonly string[],
  { keys, tree, project, remote }: DownloadOrder,
): Promise<void> {
  for (const id of ids) {
    const { kind } = await verifyWhole(store.gitDir, id);
    if (kind !== "whole")
      throw new Fault("store_failed", `the snapshot ${id} came ${kind} from ${remote}; expected it whole`, {
        retry: "later",
      });
    const ref = `refs/holdfast/fetched/${id}`;
    await runGit({ gitDir: store.gitDir, args: ["update-ref", ref, id] });
    const facts = await factsOf(store.gitDir, id);
    const named = keys.filter(({ snapshot }) => snapshot === id).map(({ key }) => key);
    const own = named.length === 0 ? [facts.key] : named;
    inTransaction(store.db, () => {
      for (const key of own) record(store, { ...facts, key: freeKey(store, key, id), id, tree, project });
      holdRef(store, id, ref);
    });
  }
}

async function factsOf(gitDir: string, id: string): Promise<Snapshot> {
  const text = (await runGit({ gitDir, args: ["cat-file", "commit", id] })).output.toString();
  const facts = JSON.parse(text.slice(text.indexOf("\n\n") + 2)) as Snapshot;
  const digest = /^tree ([0-9a-f]+)$/m.exec(text)?.[1] ?? "";
  const args = ["rev-parse", "--verify", "--quiet", `${id}:files`];
  const files = (await runGit({ gitDir, args, answers: [1, 128] })).output.toString().trim();
  return { ...facts, id, digest, files };
}

/** What was taken here under that key before stays. */
function freeKey({ db }: SnapshotHandle["store"], key: string, id: string): string {
  const row = db.prepare("SELECT id FROM snapshot WHERE key = ?").get(key);
  return row === undefined || row["id"] === id ? key : `moved/${id}`;
}

const record = ({ db }: SnapshotHandle["store"], facts: Snapshot): void =>
  void db
    .prepare("INSERT OR IGNORE INTO snapshot (key, id, at, facts) VALUES (?, ?, ?, ?)")
    .run(facts.key, facts.id, facts.atMs, JSON.stringify(facts));
