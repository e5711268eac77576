import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Fault } from "../../model/fault.ts";
import { runGit } from "../git/run-git.ts";
import { recordFolderOf, shadowRepository, type ShadowRepository } from "../git/shadow-repository.ts";
import { resolveRef } from "../git/user-repository.ts";
import { hashOf } from "../snapshot/hash-of.ts";
import { realPlace } from "../snapshot/project-store.ts";
import type { OpenStores } from "../snapshot/recover-records.ts";
import { restoreTree } from "../snapshot/restore-tree.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import { forgetTree, takeSnapshot } from "../snapshot/take-snapshot.ts";
import { createWorktree } from "../worktree/create-worktree.ts";
import type { Slots } from "../worktree/slots.ts";
import { worktreePlace, type Worktree } from "../worktree/worktree-orders.ts";
import { readParcel, recordSnapshots, type Parcel } from "./read-parcel.ts";
import type { Download, DownloadOrder } from "./remote-orders.ts";
import { checkedRemote, fetchFrom } from "./remote-refs.ts";

/** Where what is fetched is held until it has its place. */
const parcelRef = ({ key }: DownloadOrder): string => `refs/holdfast/parcels/${hashOf(key)}`;

interface Here {
  /** Where this host keeps its stores and worktrees. */
  readonly home: string;
  readonly slots: Slots;
}

export async function downloadFiles(stores: OpenStores, here: Here, order: DownloadOrder): Promise<Download> {
  const remote = checkedRemote(order.remote);
  const { store } = await stores.of(order.project);
  const repository = shadowRepository(store.folder, order.project);
  const ref = parcelRef(order);
  const isApart = order.branch.commit !== order.head.commit;
  await fetchFrom(repository.shadow, remote, [
    `+${order.ref}/head:${ref}/head`,
    ...(isApart ? [`+${order.ref}/branch:${ref}/branch`] : []),
  ]);
  await fetchFrom(store.gitDir, remote, [`+${order.ref}/files:${ref}`]);
  return stores.held(order.project, async (handle) => {
    const parcel = await readParcel(store.gitDir, { ref, commit: order.commit, remote });
    mustBe(resolveRef(repository, `${ref}/head`), order.head.commit, order);
    if (isApart) mustBe(resolveRef(repository, `${ref}/branch`), order.branch.commit, order);
    const made = await layOut(handle, here, { order, repository, parcel });
    await runGit({ gitDir: store.gitDir, args: ["update-ref", "-d", ref] });
    for (const name of isApart ? ["head", "branch"] : ["head"])
      await runGit({ gitDir: repository.shadow, args: ["update-ref", "-d", `${ref}/${name}`] });
    return { ...made, pieces: parcel.pieces };
  });
}

function mustBe(found: string | null, expected: string, { remote, ref }: DownloadOrder): void {
  if (found === expected) return;
  throw new Fault(
    "store_failed",
    `${ref} on ${remote} holds ${found ?? "nothing"}; expected ${expected}, as the journal says`,
    { retry: "later" },
  );
}

interface Laying {
  readonly order: DownloadOrder;
  readonly repository: ShadowRepository;
  readonly parcel: Parcel;
}

async function layOut(
  handle: SnapshotHandle,
  here: Here,
  { order, repository, parcel }: Laying,
): Promise<Omit<Download, "pieces">> {
  const { world } = handle;
  const { project, branch, inside, ports, key, atMs, snapshot } = order;
  const tree = freeTree(here.home, order);
  await recordSnapshots(handle, parcel.snapshots, { ...order, tree });
  world.crashPoint("workspace.download.recorded");
  const before = await keepStanding(handle, tree, order);
  await moveBranch(repository, branch);
  world.crashPoint("workspace.download.branch");
  const worktree: Worktree = await createWorktree(handle, here.slots, {
    ...{ key, project, tree, branch: branch.name, goOn: true, from: branch.commit, ports },
    ...(inside === "" ? {} : { inside }),
  });
  await setHead(repository, tree, order);
  world.crashPoint("workspace.download.tree");
  await restoreTree(handle, { key, project, tree, atMs, snapshot });
  world.crashPoint("workspace.download.restored");
  return { worktree, before };
}

/** The same path as on the host before, where this host can have it: agents may bind what they know to it. */
function freeTree(home: string, { project, tree }: DownloadOrder): string {
  try {
    mkdirSync(path.dirname(tree), { recursive: true });
    return realPlace(tree);
  } catch {
    const own = worktreePlace(home, { project, name: path.basename(tree) }).tree;
    mkdirSync(path.dirname(own), { recursive: true });
    return realPlace(own);
  }
}

/** What stands there is in a verified snapshot before anything of it is overwritten (I10). */
async function keepStanding(
  handle: SnapshotHandle,
  tree: string,
  { project, key, atMs }: DownloadOrder,
): Promise<string | null> {
  if (!existsSync(tree) || readdirSync(tree).length === 0) {
    forgetTree(handle, tree);
    return null;
  }
  // Begun by this very order: what it has laid out itself is no loss.
  const note = "before the run came back to this host";
  const taken = await takeSnapshot(handle, { project, tree, key: `${key}/before`, atMs, note });
  if (taken.whole) return taken.id;
  throw new Fault(
    "refused",
    `${tree} holds files that are in no snapshot, such as ${taken.skipped.first[0]?.path ?? "unknown"}; expected a free place for the files of the run: move them away`,
  );
}

/** Where the branch stood otherwise, that stays reachable. */
async function moveBranch(
  repository: ShadowRepository,
  { name, commit }: DownloadOrder["branch"],
): Promise<void> {
  const gitDir = repository.shadow;
  const there = resolveRef(repository, `refs/heads/${name}`);
  if (there === null || there === commit) return;
  const kept = `refs/holdfast/kept/${name}/${there.slice(0, 12)}`;
  await runGit({ gitDir, args: ["update-ref", kept, there] });
  await runGit({ gitDir, args: ["update-ref", `refs/heads/${name}`, commit, there] });
}

/** HEAD was on the run's branch, or is on no branch here. */
async function setHead(
  repository: ShadowRepository,
  tree: string,
  { head, branch }: DownloadOrder,
): Promise<void> {
  const record = recordFolderOf(repository, tree);
  const isOn = head.branch === branch.name;
  writeFileSync(path.join(record, "HEAD"), isOn ? `ref: refs/heads/${branch.name}\n` : `${head.commit}\n`);
  const index = path.join(record, "index");
  await runGit({ gitDir: repository.shadow, tree, index, args: ["read-tree", "--reset", head.commit] });
}
