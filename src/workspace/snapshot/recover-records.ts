import { Fault } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";
import { settleTakeIns } from "../accept/settle-take-in.ts";
import { LONG_LIMIT_MS, runGit } from "../git/run-git.ts";
import { checkedRemote } from "../remote/remote-refs.ts";
import { inTransaction, openProjectStore, type ProjectStore, realFolder } from "./project-store.ts";
import type { SnapshotHandle } from "./snapshot-handle.ts";
import { verifyWhole } from "./verify-snapshot.ts";
import type { Snapshot } from "../workspace.ts";

const FORMAT = "%(objectname)%00%(refname)%00%(tree)%00%(contents)%00";

/** A store whose records were lost still has its snapshots: each commit shows what it is. */
async function recoverRecords(store: ProjectStore): Promise<void> {
  const known = store.db.prepare("SELECT count(*) AS count FROM snapshot").get();
  if (Number(known?.["count"]) > 0) return;
  await recordRefs(store, "refs/holdfast/snapshots");
}

/** Takes into the records what stands under refs and is not there yet. */
async function recordRefs(store: ProjectStore, under: string): Promise<void> {
  const args = ["for-each-ref", `--format=${FORMAT}`, under];
  const { output } = await runGit({ gitDir: store.gitDir, args });
  const fields = output.toString().split("\0");
  const rows: { ref: string; snapshot: Snapshot }[] = [];
  for (let at = 0; at + 4 <= fields.length - 1; at += 4) {
    const [id = "", ref = "", digest = "", text = ""] = fields.slice(at, at + 4).map((field) => field.trim());
    const facts = JSON.parse(text) as Snapshot;
    rows.push({ ref, snapshot: { ...facts, id, digest, files: await filesOf(store, id) } });
  }
  inTransaction(store.db, () => {
    for (const { ref, snapshot } of rows) {
      store.db
        .prepare("INSERT OR IGNORE INTO snapshot (key, id, at, facts) VALUES (?, ?, ?, ?)")
        .run(snapshot.key, snapshot.id, snapshot.atMs, JSON.stringify(snapshot));
      store.db.prepare("INSERT OR IGNORE INTO held (id, ref) VALUES (?, ?)").run(snapshot.id, ref);
    }
  });
}

const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

async function filesOf({ gitDir }: ProjectStore, id: string): Promise<string> {
  const args = ["rev-parse", "--verify", "--quiet", `${id}:files`];
  const { code, output } = await runGit({ gitDir, args, answers: [1, 128] });
  return code === 0 ? output.toString().trim() : EMPTY_TREE;
}

const PROTOCOLS = "file:https:ssh";
const sharedRef = (id: string): string => `refs/holdfast/snapshots/${id}`;

export async function pushSnapshot({ store }: SnapshotHandle, id: string, remote: string): Promise<void> {
  const args = ["push", "--quiet", "--no-verify", "--", checkedRemote(remote), `${id}:${sharedRef(id)}`];
  await runGit({ gitDir: store.gitDir, args, protocols: PROTOCOLS, limitMs: LONG_LIMIT_MS });
}

export async function fetchSnapshot({ store }: SnapshotHandle, id: string, remote: string): Promise<void> {
  const refs = `${sharedRef(id)}:refs/holdfast/fetched/${id}`;
  const options = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
  const args = ["fetch", ...options, "--", checkedRemote(remote), refs];
  await runGit({ gitDir: store.gitDir, args, protocols: PROTOCOLS, limitMs: LONG_LIMIT_MS });
  const verification = await verifyWhole(store.gitDir, id);
  if (verification.kind === "whole") return recordRefs(store, "refs/holdfast/fetched");
  throw new Fault(
    "store_failed",
    `the snapshot ${id} came ${verification.kind} from ${remote}; expected it whole`,
    {
      retry: "later",
    },
  );
}

/** The open stores of one process, each opened when it is first asked for. */
export interface OpenStores {
  of(project: string): Promise<SnapshotHandle>;
  /** While nobody else works on the project. */
  held<T>(project: string, act: (handle: SnapshotHandle) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function openStores(home: string, world: World, recentMax: number): OpenStores {
  const handles = new Map<string, Promise<SnapshotHandle>>();
  const open = async (project: string): Promise<SnapshotHandle> => {
    const store = await openProjectStore(home, project, world);
    const handle = { store, world, recentMax, memories: new Map(), listings: new Map() };
    await store.exclusively(async () => {
      await recoverRecords(store);
      await settleTakeIns(handle, project);
    });
    return handle;
  };
  const of = (project: string): Promise<SnapshotHandle> => {
    const real = realFolder(project);
    const handle = handles.get(real) ?? open(real);
    handles.set(real, handle);
    handle.catch(() => handles.delete(real));
    return handle;
  };
  return {
    of,
    held: async (project, act) => {
      const handle = await of(project);
      return handle.store.exclusively(() => act(handle));
    },
    close: async () => {
      for (const handle of handles.values()) (await handle).store.close();
      handles.clear();
    },
  };
}
