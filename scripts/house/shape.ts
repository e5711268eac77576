// What `npm run house` measures of one file, and how it asks git.
import { execFileSync } from "node:child_process";
import path from "node:path";
import ts from "typescript";

export const repository = path.join(import.meta.dirname, "..", "..");
const bufferBytesMax = 1 << 28;

export const git = (args: readonly string[], input = ""): string =>
  execFileSync("git", args, { cwd: repository, encoding: "utf8", input, maxBuffer: bufferBytesMax });

export const isSource = (file: string): boolean => /\.tsx?$/.test(file) && !file.endsWith(".d.ts");

export interface Shape {
  readonly statements: number;
  readonly lines: number;
  /** The lines of each function that has a body. */
  readonly functions: readonly number[];
}

/** Blocks are no statements of their own; declarations of types and imports are. */
export function shapeOf(text: string): Shape {
  const file = ts.createSourceFile("file.ts", text, ts.ScriptTarget.ESNext, true);
  const lineOf = (position: number): number => file.getLineAndCharacterOfPosition(position).line;
  const functions: number[] = [];
  let statements = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isStatement(node) && !ts.isBlock(node)) statements += 1;
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined)
      functions.push(lineOf(node.end) - lineOf(node.getStart(file)) + 1);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { statements, lines: text.split("\n").length - 1, functions };
}
