/**
 * The one place where Holdfast starts git.
 *
 * A tree that an agent can write can name programs in git's configuration, hooks, attributes and environment, and git
 * runs them as the one that calls it. So no call here lets git look for a repository or for configuration:
 *
 * 1. The git directory is named (`GIT_DIR`) and belongs to Holdfast; its `config` file is the only one that is read.
 *    With a named directory git also asks nobody who owns the tree (`safe.directory`).
 * 2. Of the caller's environment no variable of git's survives; prompts, editors, pagers and lazy fetches are off, and
 *    no protocol is allowed but those that a call names.
 * 3. Paths are bytes: given by NUL-separated standard input or after `--`, and never taken for patterns.
 * 4. Output is bounded (I7), and so is time: a deadline grows with what the call is given to read. A git that waits for
 *    something in a tree holds the project of that tree until then, and nobody else's.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { lstatSync, statSync } from "node:fs";
import path from "node:path";
import { Fault } from "../../model/fault.ts";
import { onDisk, type BytePath } from "../snapshot/byte-path.ts";
import { kindAt } from "../kind-at.ts";

export interface GitCall {
  /** A git directory of Holdfast's own. */
  readonly gitDir: string;
  readonly args: readonly string[];
  /** The tree, for the few calls that look at one; git then runs inside it. */
  readonly tree?: string;
  readonly index?: string;
  readonly input?: Uint8Array | string;
  /** Further variables: dates and names of a commit, object directories. */
  readonly env?: Readonly<Record<string, string>>;
  /** Protocols that this call may speak, such as `file:ssh:https`; none where left out. */
  readonly protocols?: string;
  readonly outputBytesMax?: number;
  readonly limitMs?: number;
  /** Called with the process id as soon as there is one. */
  readonly started?: (pid: number) => void;
  /** Exit codes besides 0 that are answers, not failures. */
  readonly answers?: readonly number[];
}

export interface GitAnswer {
  readonly code: number;
  readonly output: Buffer;
}

const OUTPUT_BYTES_MAX = 512 * 2 ** 20;
const ERROR_CHARS_MAX = 2_000;

/** For calls that walk all objects of a store, or talk to another host. */
export const LONG_LIMIT_MS = 10 * 60_000;
const SHORT_LIMIT_MS = 60_000;
/** A path in the input or an entry of the index is about 100 bytes, and gets 5 ms. */
const MS_PER_BYTE = 0.05;

/** How long a git may take that is given so many bytes of paths, or has an index of that size to go through. */
export const gitLimitMs = (bytes: number): number =>
  Math.min(LONG_LIMIT_MS, SHORT_LIMIT_MS + Math.ceil(bytes * MS_PER_BYTE));

/** The content of files is read faster than their names are looked up: 50 bytes of it count as one. */
export function contentLimitMs(tree: string, files: readonly BytePath[]): number {
  const sizes = files.map((file) => {
    const place = onDisk(tree, file);
    return kindAt(place) === "file" ? lstatSync(place).size : 0;
  });
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return gitLimitMs(files.length * 100 + bytes / 50);
}

function limitOf({ limitMs, input, index }: GitCall): number {
  const indexBytes = index === undefined ? 0 : (statSync(index, { throwIfNoEntry: false })?.size ?? 0);
  return limitMs ?? gitLimitMs((input?.length ?? 0) + indexBytes);
}

/** What git says, as bytes; a fault where it fails. */
export async function runGit(call: GitCall): Promise<GitAnswer> {
  const child = startGit(call);
  if (child.pid !== undefined) call.started?.(child.pid);
  const limitMs = limitOf(call);
  let late = false;
  const limit = setTimeout(() => {
    late = true;
    endGit(child);
  }, limitMs);
  try {
    const [output, errors, code] = await Promise.all([
      collect(child, call.outputBytesMax ?? OUTPUT_BYTES_MAX),
      complaints(child),
      ended(child),
      feed(child, call.input),
    ]);
    if (late) throw gitTooSlow(call, limitMs);
    if (code !== 0 && !(call.answers ?? []).includes(code)) throw gitFailed(call.args, code, errors);
    return { code, output };
  } finally {
    clearTimeout(limit);
  }
}

/** For calls that talk while they run; the one that starts one ends it. */
export function startGit(call: GitCall): ChildProcess {
  return spawn(gitProgram(), ["--no-pager", ...call.args], {
    cwd: call.tree ?? call.gitDir,
    env: gitEnvironment(call),
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** Everything it has started may hold its output open after it; nobody waits for that. */
export function endGit(child: ChildProcess): void {
  child.kill("SIGKILL");
  child.stdout?.destroy();
  child.stderr?.destroy();
}

export const gitTooSlow = ({ args, tree, gitDir }: GitCall, limitMs: number): Fault =>
  new Fault(
    "store_failed",
    `git ${commandOf({ args })} did not end within ${String(limitMs / 1_000)} s in ${tree ?? gitDir}; expected it to: look there for a FIFO (find . -type p) or a disk that does not answer, then try again`,
    { retry: "later", details: { args: args.slice(0, 4), limitMs } },
  );

/** After settings that are given for this call alone. */
const commandOf = ({ args }: Pick<GitCall, "args">): string =>
  args.find((_, at) => args[at - 1] !== "-c" && args[at] !== "-c") ?? "";

export function gitFailed(args: readonly string[], code: number, errors: string): Fault {
  const said = errors.trim() === "" ? "it said nothing" : `it said: ${errors.trim()}`;
  return new Fault(
    "store_failed",
    `git ${commandOf({ args })} ended with ${String(code)}; ${said}; expected it to succeed: see whether the disk is full or the folder was changed, then try again`,
    { retry: "later", details: { args: args.slice(0, 4), code } },
  );
}

/** Kept of what the caller has, because git or ssh cannot work without it. */
const INHERITED = ["TMPDIR", "SSH_AUTH_SOCK", "LD_LIBRARY_PATH", "SYSTEMROOT", "USER", "LOGNAME"];

function gitEnvironment(call: GitCall): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const home = call.protocols === undefined ? call.gitDir : (process.env["HOME"] ?? call.gitDir);
  return {
    ...Object.fromEntries(inherited),
    PATH: searchPath(),
    HOME: home,
    XDG_CONFIG_HOME: call.gitDir,
    LC_ALL: "C",
    GIT_DIR: call.gitDir,
    ...(call.tree === undefined ? {} : { GIT_WORK_TREE: call.tree }),
    ...(call.index === undefined ? {} : { GIT_INDEX_FILE: call.index }),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "false",
    SSH_ASKPASS: "false",
    GIT_EDITOR: "false",
    GIT_PAGER: "cat",
    GIT_SSH_COMMAND: call.protocols === undefined ? "false" : "ssh -o BatchMode=yes",
    GIT_ALLOW_PROTOCOL: call.protocols ?? "none",
    ...call.env,
  };
}

/** A relative entry would be looked up inside the tree that git runs in. */
const searchPath = (): string =>
  (process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin")
    .split(path.delimiter)
    .filter((entry) => path.isAbsolute(entry))
    .join(path.delimiter);

const gitProgram = (): string => "git";

async function feed(child: ChildProcess, input: Uint8Array | string | undefined): Promise<void> {
  const { stdin } = child;
  if (stdin === null) return;
  await new Promise<void>((resolve) => {
    // A git that ends early closes its input; why it ended is shown by its exit code.
    stdin.on("error", () => {
      resolve();
    });
    stdin.end(input ?? "", () => {
      resolve();
    });
  });
}

function collect(child: ChildProcess, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    child.stdout?.on("data", (part: Buffer) => {
      bytes += part.length;
      if (bytes <= bytesMax) parts.push(part);
      else child.kill("SIGKILL");
    });
    child.on("close", () => {
      if (bytes > bytesMax)
        reject(
          new Fault(
            "refused",
            `git printed more than ${String(bytesMax)} bytes; expected less: the tree or the file is too large`,
          ),
        );
      else resolve(parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts));
    });
  });
}

export function complaints(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    child.stderr?.on("data", (part: Buffer) => {
      text = (text + part.toString()).slice(-ERROR_CHARS_MAX);
    });
    child.on("close", () => {
      resolve(text);
    });
    child.on("error", () => {
      resolve(text);
    });
  });
}

export function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on("error", (error) => {
      reject(
        new Fault(
          "store_unavailable",
          `git cannot be started: ${error.message}; expected git 2.35 or newer on the PATH: install it`,
          { retry: "after-human", cause: error },
        ),
      );
    });
    child.on("close", (code, signal) => {
      resolve(code ?? (signal === null ? 255 : 137));
    });
  });
}
