import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export const REPOSITORY = path.resolve(import.meta.dirname, "..", "..");

/** A piece of code in a page, between its fences. */
export interface CodeBlock {
  readonly page: string;
  readonly line: number;
  /** What stands behind the opening fence: a language, and perhaps the name of a file. */
  readonly language: string;
  readonly file: string;
  readonly text: string;
  /** From the comment before it, `<!-- not executed: REASON -->`; null where it has none. */
  readonly reason: string | null;
}

/** Pages whose blocks are executed together, or compared with what generates them, by a test that reads them. */
export const PAGES_WITH_A_TEST: Readonly<Record<string, string>> = {
  "docs/continuous.md": "test/cli/continuous/page.e2e.ts",
  "docs/guide.md": "test/examples/guide.e2e.ts",
  "docs/missions.md": "test/cli/mission/page.e2e.ts",
  "docs/own-agents.md": "test/examples/own-agents.e2e.ts",
  "docs/pictures.md": "test/docs/architecture.unit.ts",
};

const FENCE = /^\s*```\s*(\S*)\s*(\S*)/;
const MARKER = /^<!-- not executed: (.*\S) -->$/;

/** Every block of the README and of the pages in `docs`. */
export function codeBlocks(): CodeBlock[] {
  const pages = readdirSync(path.join(REPOSITORY, "docs")).filter((name) => name.endsWith(".md"));
  return ["README.md", ...pages.map((name) => `docs/${name}`).sort()].flatMap((page) =>
    blocksOf(page, readFileSync(path.join(REPOSITORY, page), "utf8")),
  );
}

export function blocksOf(page: string, content: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const lines = content.split("\n");
  for (let index = 0; index < lines.length; index += 1) {
    const [isFence, language = "", file = ""] = FENCE.exec(lines[index] ?? "") ?? [];
    if (isFence === undefined) continue;
    const begin = index;
    const text: string[] = [];
    for (index += 1; index < lines.length && !FENCE.test(lines[index] ?? ""); index += 1)
      text.push(lines[index] ?? "");
    const before = lines.slice(0, begin).findLast((line) => line.trim() !== "") ?? "";
    const reason = MARKER.exec(before.trim())?.[1] ?? null;
    blocks.push({ page, line: begin + 1, language, file, text: text.join("\n"), reason });
  }
  return blocks;
}
