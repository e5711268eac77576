import { spawn, spawnSync, type ChildProcessByStdio } from "node:child_process";
import { chownSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";

/** As images run programs: a number that the system's list of users does not have. */
const UID = 54_321;

const REPOSITORY = path.join(import.meta.dirname, "..", "..");

/**
 * The root is read-only, the folder is writable, there is no HOME; the program is the first process. The repository is
 * shown below the folder, since it may lie in one that only its owner may enter.
 */
const SCRIPT = `
folder=$1 repository=$2; shift 2
mkdir -p "$folder/code" && mount --bind "$folder" "$folder" && mount --bind "$repository" "$folder/code" && mount -o remount,bind,ro / || exit 98
cd "$folder" || exit 98
exec setpriv --reuid ${String(UID)} --regid ${String(UID)} --clear-groups env -i PATH="$PATH" HOLDFAST_HOME="$folder" "$@"
`;
const UNSHARE = ["-p", "-f", "-m", "--mount-proc", "--kill-child=SIGKILL"];

const words = (folder: string, command: readonly string[]): string[] => [
  ...UNSHARE,
  "/bin/sh",
  "-c",
  SCRIPT,
  "container",
  folder,
  REPOSITORY,
  ...command.map((word) => word.replace(REPOSITORY, path.join(folder, "code"))),
];

/** A folder that the container may write to. */
export function containerFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "hf-container-"));
  if (process.getuid?.() === 0) chownSync(folder, UID, UID);
  return folder;
}

/** Why no container can be made here; false where one can. */
export function noContainers(folder: string): string | false {
  const tried = spawnSync("unshare", words(folder, ["true"]), { encoding: "utf8" });
  if (tried.status === 0) return false;
  const why = tried.error?.message ?? tried.stderr.trim();
  return `needs the right to make PID and mount namespaces (unshare as root): ${why}`;
}

/** Runs a program of this repository with Node as the first process of a container. */
export const inContainer = (
  folder: string,
  program: string,
  ...args: string[]
): ChildProcessByStdio<null, Readable, Readable> =>
  spawn("unshare", words(folder, [process.execPath, program, ...args]), {
    stdio: ["ignore", "pipe", "pipe"],
  });
