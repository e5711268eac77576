import type { ChildProcess } from "node:child_process";
import { ancestorsOf, bytePath, bytesOf, parentOf, type BytePath } from "../snapshot/byte-path.ts";
import { endGit, gitFailed, gitLimitMs, gitTooSlow, runGit, startGit } from "../git/run-git.ts";
import { refuseSpecialRules } from "../snapshot/special-files.ts";

/** Asks git's own ignore rules about paths, by one process that answers until it is ended. */
export interface IgnoreCheck {
  /** Those of the paths that the rules ignore. */
  ignored(paths: readonly BytePath[]): Promise<Set<BytePath>>;
  end(): void;
}

interface Waiting {
  left: number;
  readonly ignored: Set<BytePath>;
  resolve(found: Set<BytePath>): void;
  reject(error: unknown): void;
}

export const ignoreNothing: IgnoreCheck = {
  ignored: async () => new Set(),
  end: () => undefined,
};

export interface IgnoreOrder {
  readonly gitDir: string;
  readonly tree: string;
  /** The user's rules outside of any tree. */
  readonly excludesFile: string;
  /** For one answer; in proportion to what is asked where left out. */
  readonly limitMs?: number;
}

const CHECK_IGNORE = ["check-ignore", "-z", "-v", "-n", "--no-index", "--stdin"];

/** This command refuses to be informed that paths are no patterns; after `./` none looks like one. */
export function startIgnoreCheck({ gitDir, tree, excludesFile, limitMs }: IgnoreOrder): IgnoreCheck {
  const args = ["-c", `core.excludesFile=${excludesFile}`, ...CHECK_IGNORE];
  let child: ChildProcess | null = null;
  let waiting: Waiting | null = null;
  const start = (): ChildProcess => {
    const started = startGit({ gitDir, tree, args, env: { GIT_LITERAL_PATHSPECS: "0" } });
    const fail = (code: number): void => {
      waiting?.reject(gitFailed(["check-ignore"], code, ""));
      waiting = null;
    };
    started.on("error", () => {
      fail(255);
    });
    started.on("close", (code) => {
      fail(code ?? 255);
    });
    started.stdin?.on("error", () => {
      fail(255);
    });
    started.stderr?.resume();
    readRecords(started, (source, pattern, path) => {
      if (waiting === null) return;
      if (source !== "" && !pattern.startsWith("!")) waiting.ignored.add(path);
      waiting.left -= 1;
      if (waiting.left > 0) return;
      waiting.resolve(waiting.ignored);
      waiting = null;
    });
    return started;
  };
  return {
    ignored: (paths) => {
      if (paths.length === 0) return Promise.resolve(new Set());
      const asked = (child ??= start());
      const input = bytesOf(paths.map((path) => `./${path}\0`).join(""));
      return new Promise<Set<BytePath>>((resolve, reject) => {
        const waitMs = limitMs ?? gitLimitMs(input.length);
        const question = { left: paths.length, ignored: new Set<BytePath>(), resolve, reject };
        waiting = withDeadline(question, waitMs, () => {
          waiting = null;
          endGit(asked);
          reject(gitTooSlow({ gitDir, tree, args }, waitMs));
        });
        asked.stdin?.write(input);
      });
    },
    end: () => {
      child?.stdin?.end();
      child?.kill("SIGTERM");
    },
  };
}

function withDeadline(waiting: Waiting, waitMs: number, late: () => void): Waiting {
  const limit = setTimeout(late, waitMs);
  return {
    ...waiting,
    resolve: (found) => {
      clearTimeout(limit);
      waiting.resolve(found);
    },
    reject: (error) => {
      clearTimeout(limit);
      waiting.reject(error);
    },
  };
}

/** Four fields a record: source, line, pattern, path. */
function readRecords(
  child: ChildProcess,
  receive: (source: string, pattern: string, path: BytePath) => void,
): void {
  let rest = "";
  child.stdout?.on("data", (part: Buffer) => {
    const fields = (rest + bytePath(part)).split("\0");
    rest = fields.pop() ?? "";
    const whole = fields.length - (fields.length % 4);
    for (let at = 0; at < whole; at += 4)
      receive(fields[at] ?? "", fields[at + 2] ?? "", (fields[at + 3] ?? "").slice(2));
    if (whole < fields.length) rest = `${fields.slice(whole).join("\0")}\0${rest}`;
  });
}

/** Files that the user's index holds although the rules ignore them: they are work, and kept. */
export async function trackedThoughIgnored(call: {
  readonly gitDir: string;
  readonly tree: string;
  readonly userIndex: string;
  readonly excludesFile: string;
}): Promise<BytePath[]> {
  const { gitDir, tree, userIndex, excludesFile } = call;
  // Git reads the rules of every folder that the index names, and would wait for a FIFO among them.
  const all = await runGit({
    gitDir,
    index: userIndex,
    args: ["ls-files", "-z", "--cached"],
    answers: [1, 128],
  });
  refuseSpecialRules(tree, foldersOf(bytePath(all.output).split("\0")));
  const listing = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"];
  const args = ["-c", `core.excludesFile=${excludesFile}`, ...listing];
  // An index that git cannot read is an agent's to write; then only the rules count.
  const { code, output } = await runGit({ gitDir, tree, index: userIndex, args, answers: [1, 128] });
  return code === 0
    ? bytePath(output)
        .split("\0")
        .filter((path) => path !== "")
    : [];
}

function foldersOf(paths: readonly BytePath[]): Set<BytePath> {
  const folders = new Set<BytePath>([""]);
  for (const path of paths)
    if (!folders.has(parentOf(path))) for (const folder of ancestorsOf(path)) folders.add(folder);
  return folders;
}
