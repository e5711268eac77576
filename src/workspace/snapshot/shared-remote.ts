import { Fault } from "../../model/fault.ts";
import { recordRefs } from "./recover-records.ts";
import { LONG_LIMIT_MS, runGit } from "../git/run-git.ts";
import type { SnapshotHandle } from "./snapshot-desk.ts";
import { verifyWhole } from "./verify-snapshot.ts";

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

function checkedRemote(remote: string): string {
  if (/^(https:\/\/|ssh:\/\/|file:\/\/|\/)/.test(remote) || /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:/.test(remote))
    return remote;
  throw new Fault(
    "usage",
    `"${remote}" is no remote for snapshots; expected https://…, ssh://…, file://… or a path`,
  );
}
