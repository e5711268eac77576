import type { ChildProcess } from "node:child_process";
import { bytesOf, type BytePath } from "./byte-path.ts";
import { complaints, endGit, ended, gitFailed, LONG_LIMIT_MS, startGit } from "../git/run-git.ts";

/**
 * Writes blobs and one commit through one git process, into one pack that is synced before the ref moves.
 *
 * The stream ends with `done`: should this process die before, git gives up, and no ref has moved.
 */
export class ImportStream {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number>;
  readonly #complaints: Promise<string>;
  readonly #written = new Set<string>();
  /** Begins again with every write: a git that takes nothing for so long is ended. */
  readonly #limit: NodeJS.Timeout;
  #output = "";
  #broken = false;

  constructor(gitDir: string) {
    const options = ["--quiet", "--force", "--done", "--date-format=raw"];
    this.#child = startGit({ gitDir, args: ["fast-import", ...options] });
    this.#ended = ended(this.#child);
    this.#complaints = complaints(this.#child);
    this.#limit = setTimeout(() => {
      endGit(this.#child);
    }, LONG_LIMIT_MS);
    const stopLimit = (): void => {
      clearTimeout(this.#limit);
    };
    this.#ended.then(stopLimit, stopLimit);
    this.#child.stdin?.on("error", () => {
      this.#broken = true;
    });
    this.#child.stdout?.on("data", (part: Buffer) => {
      this.#output += part.toString("latin1");
    });
  }

  async blob(oid: string, bytes: Uint8Array): Promise<void> {
    if (this.#written.has(oid)) return;
    this.#written.add(oid);
    await this.#write(`blob\ndata ${String(bytes.length)}\n`);
    await this.#write(bytes);
    await this.#write("\n");
  }

  async commit(commit: ImportedCommit): Promise<ImportedIds> {
    const message = Buffer.from(commit.message);
    await this.#write(`commit ${commit.ref}\nmark :1\n`);
    await this.#write(
      `committer Holdfast <holdfast@localhost> ${String(Math.floor(commit.atMs / 1_000))} +0000\n`,
    );
    await this.#write(`data ${String(message.length)}\n`);
    await this.#write(message);
    await this.#write("\n");
    if (commit.base !== null) await this.#write(`M 040000 ${commit.base} ""\n`);
    for (const path of commit.removed) await this.#write(`D ${quoted(path)}\n`);
    for (const { path, mode, oid } of commit.files) await this.#write(`M ${mode} ${oid} ${quoted(path)}\n`);
    for (const { path, bytes } of commit.inline) {
      await this.#write(`M 100644 inline ${quoted(path)}\ndata ${String(bytes.length)}\n`);
      await this.#write(bytes);
      await this.#write("\n");
    }
    await this.#write("\n");
    await this.#write(`get-mark :1\nls :1 ""\nls :1 files\ndone\n`);
    await this.#finish();
    return parseIds(this.#output);
  }

  /** Gives up: nothing is referred to, so nothing was written. */
  abandon(): void {
    this.#child.kill("SIGKILL");
  }

  async #finish(): Promise<void> {
    this.#child.stdin?.end();
    const code = await this.#ended;
    if (code !== 0 || this.#broken) throw gitFailed(["fast-import"], code, await this.#complaints);
  }

  async #write(bytes: Uint8Array | string): Promise<void> {
    const { stdin } = this.#child;
    this.#limit.refresh();
    if (stdin === null || this.#broken || stdin.destroyed)
      throw gitFailed(["fast-import"], await this.#ended, await this.#complaints);
    if (stdin.write(typeof bytes === "string" ? bytesOf(bytes) : bytes)) return;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        stdin.off("drain", go).off("close", go);
        resolve();
      };
      stdin.on("drain", go).on("close", go);
    });
  }
}

export interface ImportedCommit {
  readonly ref: string;
  readonly message: string;
  readonly atMs: number;
  /** The tree that the changes are laid over. */
  readonly base: string | null;
  readonly removed: readonly BytePath[];
  readonly files: readonly { readonly path: BytePath; readonly mode: string; readonly oid: string }[];
  readonly inline: readonly { readonly path: BytePath; readonly bytes: Uint8Array }[];
}

export interface ImportedIds {
  readonly id: string;
  readonly digest: string;
  /** Empty tree where the tree holds no files. */
  readonly files: string;
}

const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

function parseIds(output: string): ImportedIds {
  const [id = "", root = "", files = ""] = output.split("\n");
  const treeOf = (line: string): string => /^040000 tree ([0-9a-f]{40})\t/.exec(line)?.[1] ?? EMPTY_TREE;
  if (!/^[0-9a-f]{40}$/.test(id))
    throw gitFailed(["fast-import"], 0, `unexpected answer: ${output.slice(0, 200)}`);
  return { id, digest: treeOf(root), files: treeOf(files) };
}

const quoted = (path: BytePath): string =>
  `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
