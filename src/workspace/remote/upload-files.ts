import { Fault } from "../../model/fault.ts";
import { toText, type BytePath } from "../snapshot/byte-path.ts";
import { runGit } from "../git/run-git.ts";
import { shadowRepository } from "../git/shadow-repository.ts";
import type { OpenStores } from "../snapshot/recover-records.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import { listSnapshot } from "../snapshot/list-snapshot.ts";
import { listIgnored } from "./list-ignored.ts";
import type { LeftPath, Piece, Upload, UploadOrder } from "./remote-orders.ts";
import { checkedRemote, epochOf, pushTo, refsOfRun, uploadRef } from "./remote-refs.ts";
import { asHoldfast, committedSecrets, sendable } from "./withhold-files.ts";

/** What is sent, as one commit in the store: its parents are the snapshots, its files the pieces. */
interface Parcel extends Omit<Upload, "ref"> {
  readonly shadow: string;
}

/** Only the making of the commit has the project for itself: a slow remote keeps nobody from working. */
export async function uploadFiles(stores: OpenStores, order: UploadOrder): Promise<Upload> {
  const remote = checkedRemote(order.remote);
  const parcel = await stores.held(order.project, (handle) => makeParcel(handle, order));
  const { store, world } = await stores.of(order.project);
  const { shadow, ...upload } = parcel;
  const ref = uploadRef(order.run, order.epoch, parcel.commit);
  const there = await refsOfRun(store.gitDir, remote, order.run);
  refuseFormer(order, there);
  const fresh = (spec: string): boolean => !there.has(spec.slice(spec.indexOf(":") + 1));
  const commits = commitSpecs(order, ref).filter(fresh);
  if (commits.length > 0) await pushTo(shadow, remote, commits);
  world.crashPoint("workspace.upload.commits");
  const files = [`${parcel.commit}:${ref}/files`].filter(fresh);
  if (files.length > 0) await pushTo(store.gitDir, remote, files);
  world.crashPoint("workspace.upload.files");
  await dropOlder(store.gitDir, remote, olderRefs(order, ref, there));
  return { ref, ...upload };
}

const commitSpecs = ({ head, branch }: UploadOrder, ref: string): string[] => [
  `${head.commit}:${ref}/head`,
  ...(branch.commit === head.commit ? [] : [`${branch.commit}:${ref}/branch`]),
];

/** Where a later owner has uploaded something, this one owns the run no more. */
function refuseFormer({ run, epoch }: UploadOrder, there: ReadonlyMap<string, string>): void {
  const newest = Math.max(0, ...[...there.keys()].map((ref) => epochOf(run, ref)));
  if (newest <= epoch) return;
  throw new Fault(
    "refused",
    `a later owner of ${run} has uploaded its files (epoch ${String(newest)}, expected at most ${String(epoch)}): nothing was uploaded`,
  );
}

/** Neither this upload nor the last that is recorded, which others may still need. */
const olderRefs = ({ previous }: UploadOrder, ref: string, there: ReadonlyMap<string, string>): string[] =>
  [...there.keys()].filter(
    (one) => !one.startsWith(`${ref}/`) && (previous === null || !one.startsWith(`${previous}/`)),
  );

/** What stays there is removed with the next upload. */
async function dropOlder(gitDir: string, remote: string, refs: readonly string[]): Promise<void> {
  if (refs.length === 0) return;
  await pushTo(
    gitDir,
    remote,
    refs.map((ref) => `:${ref}`),
  ).catch(() => undefined);
}

async function makeParcel(handle: SnapshotHandle, order: UploadOrder): Promise<Parcel> {
  const { store } = handle;
  const { shadow } = shadowRepository(store.folder, order.project);
  const committed = await committedSecrets(shadow, order.head.commit);
  const without: Record<string, string> = {};
  const withheld = new Set<BytePath>();
  for (const id of [order.snapshot, ...order.others]) {
    const sent = await sendable(handle, id, committed);
    if (sent.id !== id) without[id] = sent.id;
    if (id === order.snapshot) for (const file of sent.withheld) withheld.add(file);
  }
  const snapshots = [order.snapshot, ...order.others].map((id) => without[id] ?? id);
  const left = await leftBehind(handle, order, [...withheld]);
  return { shadow, commit: await commitParcel(store.gitDir, order, snapshots), left, without };
}

async function leftBehind(
  handle: SnapshotHandle,
  { tree, snapshot }: UploadOrder,
  withheld: readonly BytePath[],
): Promise<LeftPath[]> {
  const { skipped } = await listSnapshot(handle, snapshot);
  const ignored = await listIgnored(handle, tree, snapshot);
  return [
    ...withheld.map((file) => ({ path: toText(file), why: "may hold secrets" })),
    ...[...skipped].map((file) => ({ path: toText(file), why: "in no snapshot" })),
    ...ignored.map((file) => ({ path: file, why: "ignored by git" })),
  ];
}

/** The same order makes the same commit. */
async function commitParcel(
  gitDir: string,
  { run, epoch, pieces, atMs }: UploadOrder,
  snapshots: readonly string[],
): Promise<string> {
  const manifest = JSON.stringify({ pieces: pieces.map(({ name }) => name) });
  const all: Piece[] = [{ name: "manifest", bytes: Buffer.from(manifest) }, ...pieces];
  const lines: string[] = [];
  for (const [at, { bytes }] of all.entries()) {
    const args = ["hash-object", "-w", "--no-filters", "--stdin"];
    const oid = (await runGit({ gitDir, args, input: bytes })).output.toString().trim();
    lines.push(`100644 blob ${oid}\t${at === 0 ? "manifest" : `p${String(at)}`}\n`);
  }
  const tree = (await runGit({ gitDir, args: ["mktree"], input: lines.join("") })).output.toString().trim();
  const parents = [...new Set(snapshots)].flatMap((id) => ["-p", id]);
  const args = ["commit-tree", tree, ...parents, "-F", "-"];
  const input = `Files of ${run}, epoch ${String(epoch)}\n`;
  return (await runGit({ gitDir, args, input, env: asHoldfast(atMs) })).output.toString().trim();
}
