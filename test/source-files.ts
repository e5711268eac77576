import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

const repository = path.dirname(import.meta.dirname);

/** Every TypeScript file of the product, by its path from the repository. */
export const sourceFiles = (): string[] =>
  readdirSync(path.join(repository, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `src/${file.replaceAll(path.sep, "/")}`)
    .sort();

export const sourceText = (file: string): string => readFileSync(path.join(repository, file), "utf8");

export const parsed = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, sourceText(file), ts.ScriptTarget.ESNext);
