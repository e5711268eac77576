import { errorText, Fault } from "../../model/fault.ts";
import { hashOf } from "../snapshot/hash-of.ts";
import { LONG_LIMIT_MS, runGit } from "../git/run-git.ts";

const PROTOCOLS = "file:https:ssh";

export function checkedRemote(remote: string): string {
  if (/^(https:\/\/|ssh:\/\/|file:\/\/|\/)/.test(remote) || /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:/.test(remote))
    return remote;
  throw new Fault(
    "usage",
    `"${remote}" is no remote for snapshots; expected https://…, ssh://…, file://… or a path`,
  );
}

/** One call of git that talks to the remote. */
async function onRemote(gitDir: string, remote: string, args: readonly string[]): ReturnType<typeof runGit> {
  const options = { protocols: PROTOCOLS, limitMs: LONG_LIMIT_MS };
  try {
    return await runGit({ gitDir, args: ["-c", "maintenance.auto=false", ...args], ...options });
  } catch (error) {
    throw new Fault(
      "store_unavailable",
      `the remote ${shown(remote)} could not be used: ${errorText(error)}; expected a bare git repository that this host can read and write: look at its address and who may use it`,
      { retry: "later", cause: error },
    );
  }
}

/** Without a name or password. */
const shown = (remote: string): string => remote.replace(/\/\/[^/@]*@/, "//");

export const pushTo = (gitDir: string, remote: string, specs: readonly string[]): ReturnType<typeof runGit> =>
  onRemote(gitDir, remote, [
    "push",
    "--quiet",
    "--no-verify",
    ...specs.flatMap(absent),
    "--",
    remote,
    ...specs,
  ]);

/** What is made must not be there yet. */
function absent(spec: string): string[] {
  const [from = "", to = ""] = spec.split(":");
  return from === "" ? [] : [`--force-with-lease=${to}:`];
}

export const fetchFrom = (
  gitDir: string,
  remote: string,
  specs: readonly string[],
): ReturnType<typeof runGit> => {
  const options = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
  return onRemote(gitDir, remote, ["fetch", ...options, "--", remote, ...specs]);
};

/** Where the uploads of a run stand on the remote. A name that git does not take in a ref is hashed. */
export const runRefs = (run: string): string =>
  `refs/holdfast/runs/${/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(run) ? run : `h-${hashOf(run).slice(0, 32)}`}`;

/** Named after its content: every owner that writes it writes the same. */
export const uploadRef = (run: string, epoch: number, commit: string): string =>
  `${runRefs(run)}/${String(epoch)}/${commit.slice(0, 16)}`;

/** The refs of a run on the remote, with what they hold. */
export async function refsOfRun(gitDir: string, remote: string, run: string): Promise<Map<string, string>> {
  const { output } = await onRemote(gitDir, remote, [
    "ls-remote",
    "--quiet",
    "--",
    remote,
    `${runRefs(run)}/*`,
  ]);
  const lines = output
    .toString()
    .split("\n")
    .filter((line) => line !== "");
  return new Map(
    lines.map((line): [string, string] => {
      const [oid = "", ref = ""] = line.split("\t");
      return [ref, oid];
    }),
  );
}

export function epochOf(run: string, ref: string): number {
  const [epoch = ""] = ref.slice(runRefs(run).length + 1).split("/");
  return /^\d{1,15}$/.test(epoch) ? Number(epoch) : 0;
}
