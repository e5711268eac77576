import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const repository = path.join(import.meta.dirname, "..", "..");
/** Neither the packages nor what tools leave behind. */
const LEFT_OUT = new Set([".git", ".cache", "node_modules", "dist", "toolchain"]);
const PATH = [
  path.dirname(process.execPath),
  path.join(repository, "node_modules", ".bin"),
  process.env["PATH"],
].join(path.delimiter);
const deadlineMs = 1_200_000;

export interface Outcome {
  readonly ok: boolean;
  readonly output: string;
}

/** A copy of this checkout in which a recipe is followed; its packages are this checkout's. */
export interface TreeCopy {
  write(file: string, text: string): void;
  /** Puts lines before the first place that the text is found at. */
  before(file: string, text: string, lines: string): void;
  after(file: string, text: string, lines: string): void;
  run(...command: readonly [string, ...string[]]): Outcome;
  remove(): void;
}

export function copyTree(): TreeCopy {
  const root = mkdtempSync(path.join(tmpdir(), "holdfast-recipe-"));
  const topOf = (file: string): string => path.relative(repository, file).split(path.sep)[0] ?? "";
  cpSync(repository, root, { recursive: true, filter: (file) => !LEFT_OUT.has(topOf(file)) });
  for (const shared of ["node_modules", "toolchain"])
    symlinkSync(path.join(repository, shared), path.join(root, shared));
  const put = (file: string, text: string, lines: string, side: 0 | 1): void => {
    const at = path.join(root, file);
    const old = readFileSync(at, "utf8");
    const place = old.indexOf(text);
    if (place === -1) throw new Error(`${file} does not hold ${JSON.stringify(text)}`);
    const cut = place + side * text.length;
    writeFileSync(at, `${old.slice(0, cut)}${lines}${old.slice(cut)}`);
  };
  return {
    write(file, text) {
      const at = path.join(root, file);
      if (existsSync(at)) throw new Error(`${file} exists already`);
      mkdirSync(path.dirname(at), { recursive: true });
      writeFileSync(at, text);
    },
    before: (file, text, lines) => put(file, text, lines, 0),
    after: (file, text, lines) => put(file, text, lines, 1),
    run(program, ...args) {
      const env = { ...process.env, PATH, NODE_TEST_CONTEXT: undefined, HOLDFAST_MUTANT: undefined };
      const done = spawnSync(program, args, { cwd: root, env, encoding: "utf8", timeout: deadlineMs });
      return { ok: done.status === 0, output: `${done.stdout}${done.stderr}` };
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
