import assert from "node:assert/strict";
import { readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

interface Output {
  readonly entryPoint?: string;
  readonly imports: readonly { readonly path: string; readonly kind: string }[];
  readonly inputs: Readonly<Record<string, unknown>>;
}

const dist = path.join(import.meta.dirname, "..", "..", "dist");
const web = path.join(dist, "web");
const { outputs } = JSON.parse(readFileSync(path.join(dist, ".web-metafile.json"), "utf8")) as {
  readonly outputs: Readonly<Record<string, Output>>;
};
const holds = (part: Output, package_: string): boolean =>
  Object.keys(part.inputs).some((input) => input.includes(`node_modules/${package_}/`));
const TERMINAL = "@xterm/xterm";

test("O2 all pages but the terminal are at most 300 KB, compressed as any browser takes them", () => {
  const terminal = Object.entries(outputs)
    .filter(([file, part]) => file.endsWith(".js") && holds(part, TERMINAL))
    .map(([file]) => path.basename(file));
  assert.equal(terminal.length, 1, "the terminal is a part of its own");
  const names = readdirSync(web);
  const sizes = names
    .filter((name) => /\.(html|js|css)$/.test(name) && !terminal.includes(name))
    .map((name) => (names.includes(`${name}.gz`) ? `${name}.gz` : name))
    .map((name) => statSync(path.join(web, name)).size);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(bytes > 50_000 && bytes <= 300_000, `${String(bytes)} bytes in ${String(sizes.length)} files`);
});

test("O2 the first paint asks for the page, then for all that it needs at once, and for nothing after that", () => {
  const page = readFileSync(path.join(web, "index.html"), "utf8");
  const named = new Set([...page.matchAll(/\/assets\/([\w.-]+)/g)].map(([, name = ""]) => name));
  const needed = new Set<string>();
  const follow = (file: string): void => {
    needed.add(path.basename(file));
    for (const { path: next, kind } of outputs[file]?.imports ?? [])
      if (kind === "import-statement" && !needed.has(path.basename(next))) follow(next);
  };
  const main = Object.keys(outputs).find((file) => outputs[file]?.entryPoint === "web/src/main.tsx");
  follow(main ?? "");
  assert.ok(needed.size > 1);
  // Page, then its parts, then the answers of the API.
  assert.deepEqual(
    [...needed].filter((name) => !named.has(name)),
    [],
    "a part that the page does not name would be a further link of the chain",
  );
});

test("O2 no page carries what would make functions of texts, which its policy refuses", () => {
  for (const [file, part] of Object.entries(outputs)) assert.ok(!holds(part, "zod"), file);
});
