import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { readPlain } from "../../files/plain-file.ts";
import type { SandboxNetwork } from "../../model/settings/sandbox-settings.ts";
import type { Entering } from "../agent-driver.ts";
import { agentHomes, homeFolder, type AgentHome } from "./agent-homes.ts";
import { DEFAULT_SIGNALS, ENV_PROGRAM } from "./find-sandbox.ts";
import { lendLogins } from "./lent-logins.ts";
import type { LimitWay } from "./sandbox-limits.ts";
import type { NetworkWay } from "./serve-network.ts";
import { FOREIGN_VARIABLES, sandboxArgs, type Mount, type Mounted } from "./sandbox-args.ts";
import { isWithin, visibleFiles, type Look } from "./visible-files.ts";
import { homePath } from "../../files/user-home.ts";

export interface SandboxEntry {
  /** The driver's name, by which its agent is known. */
  readonly use: string;
  /** Of bubblewrap. */
  readonly program: string;
  /** The folder of the session. */
  readonly session: string;
  readonly workspace: string;
  readonly network: SandboxNetwork;
  readonly reads: readonly string[];
  readonly hidden: readonly string[];
  /** Its git directory; null where the repository can only be read. */
  readonly git: Mounted | null;
  /** The socket of its tools, and the words of the program that speaks through it. */
  readonly tools: Mounted | null;
  /** Opens the way to the provider; null where the network is all or none. */
  readonly limits: LimitWay;
  readonly way: ((entering: Entering) => NetworkWay) | null;
  readonly programs: readonly string[];
}

/**
 * The words that start a program in a sandbox, and the folders it needs there.
 *
 * 1. The keeper stays outside: it is the parent of bubblewrap, which ends with it and ends everything inside when the
 *    program ends. Processes that left their session or group end too, since their namespace does.
 * 2. Polite signals are meant for the program. Bubblewrap ignores them, and inside they are given their meaning back.
 * 3. An exit code, or 128 plus a signal's number, is the program's own.
 */
export function enterSandbox(entry: SandboxEntry, entering: Entering): readonly [string, ...string[]] {
  const { own, command, cwd, env, files } = entering;
  const home = homePath(env);
  const homes = agentHomes([entry.use, ...command], env);
  makeFolders({ own, home, session: entry.session }, homes);
  const way = entry.way?.(entering) ?? null;
  const mounts = visibleFiles(
    {
      home,
      workspace: entry.workspace,
      own,
      session: entry.session,
      command: [...(way === null ? [] : [process.execPath]), ...entry.programs, ...command],
      searchPath: env["PATH"] ?? "",
      homes,
      reads: [...files, ...entry.reads.map((place) => place.replace(/^~(?=\/|$)/, home))],
      hidden: entry.hidden,
    },
    LOOK,
  );
  const args = sandboxArgs({
    mounts: [
      ...mounts,
      ...repositoryMounts(entry),
      ...[entry.tools, way?.mounted ?? null].flatMap((one) => (one === null ? [] : mountsOf(one))),
    ],
    cwd,
    network: entry.network,
    env: {
      ...way?.env,
      ...Object.fromEntries(FOREIGN_VARIABLES.map((name) => [name, undefined])),
      TMPDIR: "/tmp",
    },
  });
  const inside = [
    ENV_PROGRAM,
    DEFAULT_SIGNALS,
    "--",
    "/bin/sh",
    "-c",
    `${way?.opening ?? ""}${entry.limits.opening}exec "$@"`,
    "holdfast-agent",
  ];
  const outside = ["-c", `trap '' HUP INT QUIT TERM; ${entry.limits.joining}exec "$@"`, "holdfast-sandbox"];
  return ["/bin/sh", ...outside, entry.program, ...args, ...inside, ...command];
}

const COPY_BYTES_MAX = 64 * 1024 * 1024;

interface Own {
  readonly own: string;
  readonly home: string;
  readonly session: string;
}

function makeFolders({ own, home, session }: Own, homes: readonly AgentHome[]): void {
  const folder = (place: string): string | undefined => mkdirSync(place, { recursive: true, mode: 0o700 });
  for (const name of ["tmp", "var-tmp", "home"]) folder(path.join(own, name));
  lendLogins(session, homes);
  for (const [at, one] of homes.entries()) {
    const inside = one.folder === home ? path.join(own, "home") : homeFolder(session, at);
    for (const name of one.writes) folder(path.join(one.folder, name));
    for (const name of one.copies) {
      const from = path.join(one.folder, name);
      const read = readPlain(from, { bytesMax: COPY_BYTES_MAX, links: "follow" });
      if (read.kind === "read") writeFileSync(path.join(inside, name), read.bytes, { mode: 0o600 });
    }
  }
}

/** The user's repository is never changed: its place is taken by one of the attempt's own, or it can be read. */
function repositoryMounts({ workspace, git }: SandboxEntry): readonly Mount[] {
  const dotGit = path.join(workspace, ".git");
  if (git === null) return existsSync(dotGit) ? [{ kind: "read", from: dotGit, to: dotGit }] : [];
  return mountsOf(git);
}

function mountsOf({ writes, reads }: Mounted): readonly Mount[] {
  const mounts = (kind: "read" | "write", places: Mounted["reads"]): readonly Mount[] =>
    Object.entries(places).map(([to, from]) => ({ kind, from, to }));
  return [...mounts("write", writes), ...mounts("read", reads)];
}

/** The tree that a folder is part of, or the folder itself. It never reaches beyond the home or Holdfast's own folders. */
export function workspaceOf(cwd: string, ends: readonly string[]): string {
  for (let at = cwd; ; at = path.dirname(at)) {
    if (isRepository(path.join(at, ".git"))) return at;
    const above = path.dirname(at);
    if (above === at || ends.some((end) => isWithin(end, cwd) !== isWithin(end, above))) return cwd;
  }
}

/** A folder of git has a HEAD; a worktree and a submodule have a file. */
const isRepository = (place: string): boolean =>
  ifSeen(() => statSync(place).isFile(), false) || existsSync(path.join(place, "HEAD"));

/** What this user cannot look at, such as a folder of another one on PATH, the agent could not use either. */
function ifSeen<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch (error) {
    if (["EACCES", "EPERM", "ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return otherwise;
    throw error;
  }
}

const LOOK: Look = {
  kind: (place) => ifSeen(() => (statSync(place).isDirectory() ? "folder" : "file"), "none"),
  link: (place) =>
    ifSeen(() => (lstatSync(place).isSymbolicLink() ? readlinkSync(place) : undefined), undefined),
  real: (place) => ifSeen(() => realpathSync(place), place),
  list: (folder) => ifSeen(() => readdirSync(folder), []),
};
