import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { load as loadYaml } from "js-yaml";
import ts from "typescript";
import { validateFile } from "../../src/cli/config/validate-file.ts";
import type { Holdfast } from "../../src/index.ts";
import { configSchema } from "../../src/model/settings/config.ts";
import { modelScriptSchema } from "../../src/model/agent/model-script.ts";
import { builtProgram } from "../built-program.ts";
import * as names from "./block-names.ts";
import { blocksOf, codeBlocks, PAGES_WITH_A_TEST, REPOSITORY, type CodeBlock } from "./code-blocks.ts";

// Inside the checkout, whose package makes modules of the programs.
mkdirSync(path.join(REPOSITORY, ".cache"), { recursive: true });
const folder = mkdtempSync(path.join(REPOSITORY, ".cache", "blocks-"));
after(() => {
  rmSync(folder, { recursive: true, force: true });
});

const placeOf = ({ page, line }: CodeBlock): string => `${page}:${String(line)}`;
const all = codeBlocks().filter(({ page }) => !Object.hasOwn(PAGES_WITH_A_TEST, page));
const executed = all.filter(({ language, reason }) => language !== "" && reason === null);
const inLanguage = (language: string): CodeBlock[] => executed.filter((block) => block.language === language);

test("every block of code in the pages is executed, or says before it why not", () => {
  const known = ["ts", "sh", "yaml", "json"];
  assert.deepEqual(
    executed.filter(({ language }) => !known.includes(language)).map(placeOf),
    [],
    "of these nobody knows how to execute them",
  );
  const marked = all.filter(({ reason }) => reason !== null);
  // Raised only with a reason that a reader would accept.
  assert.ok(marked.length <= 10, `${String(marked.length)} blocks are not executed`);
  for (const block of marked)
    assert.ok((block.reason ?? "").length > 20, `${placeOf(block)} gives no reason`);
  for (const [page, file] of Object.entries(PAGES_WITH_A_TEST))
    assert.ok(
      readFileSync(path.join(REPOSITORY, file), "utf8").includes(path.basename(page)),
      `${file}: ${page}`,
    );
});

test("the finder of blocks sees languages, files, markers and what is indented", () => {
  const page = "a\n<!-- not executed: it needs root -->\n```sh\nx\n```\n- b\n  ```ts a.ts\n  y\n  ```\n";
  assert.deepEqual(
    blocksOf("p", page).map(({ line, language, file, text, reason }) => [line, language, file, text, reason]),
    [
      [3, "sh", "", "x", "it needs root"],
      [7, "ts", "a.ts", "  y", null],
    ],
  );
});

const TYPES = ["Reply", "Issue"];
const FROM = "../../test/docs/block-names.ts";

/** The block as a module: what it takes for granted is imported or given to it. */
function moduleOf({ text }: CodeBlock): string {
  const body = text.replace(/^import .* from "holdfast";$/m, "");
  const uses = (name: string): boolean =>
    new RegExp(`\\b${name}\\b`).test(body.replace(/\b(name|child|input|tests|docs):/g, "")) &&
    !new RegExp(`(const|let) (\\{[^}]*)?\\b${name}\\b`).test(body);
  const used = [...Object.keys(names).filter(uses), ...TYPES.filter(uses).map((name) => `type ${name}`)];
  const head = `import { ${used.join(", ")} } from "${FROM}";\n`;
  if (body.includes("export default")) return `${head}${body}\n`;
  const own = (name: string): string => (uses(name) && !body.includes(`async (${name})`) ? name : `_${name}`);
  return `${head}import type { Holdfast, Run } from "../../src/index.ts";
export async function block(${own("hf")}: Holdfast, ${own("run")}: Run, lastSeq = 0) {
${body}
  return lastSeq;
}
`;
}

const written = inLanguage("ts").map((block, index) => {
  const file = path.join(folder, `block-${String(index)}.ts`);
  writeFileSync(file, moduleOf(block));
  return { block, file };
});

test("J5 P4 every TypeScript program in the pages compiles under strict", () => {
  const { config } = ts.readConfigFile(path.join(REPOSITORY, "tsconfig.json"), (file) =>
    readFileSync(file, "utf8"),
  ) as { config: { compilerOptions: Record<string, unknown> } };
  const { options } = ts.convertCompilerOptionsFromJson(
    { ...config.compilerOptions, incremental: false, tsBuildInfoFile: null, noUnusedLocals: false },
    REPOSITORY,
  );
  const program = ts.createProgram(
    written.map(({ file }) => file),
    options,
  );
  const problems = written.flatMap(({ block, file }) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText }) => `${placeOf(block)}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
    );
  });
  assert.ok(written.length >= 6);
  assert.deepEqual(problems, []);
});

/** Stands for the people and the other processes that a block waits for. */
async function answerBlocks(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const hf = names.lastOpened();
    const rows = (await hf?.list({ status: "running" }).catch(() => [])) ?? [];
    for (const { id } of rows)
      for (const name of (await hf?.get(id))?.waitingFor ?? []) await hf?.signal(id, name, { ok: true });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("J5 J10 every TypeScript program in the pages runs to its end", async () => {
  const cwd = process.cwd();
  try {
    for (const { block, file } of written) {
      process.chdir(mkdtempSync(path.join(folder, "cwd-")));
      const made = (await import(pathToFileURL(file).href)) as {
        default?: (goal: string) => { steps: unknown[] };
        block?: (hf: Holdfast, run: unknown) => Promise<unknown>;
      };
      if (made.block === undefined) {
        assert.equal(made.default?.("a goal").steps.length, 1, placeOf(block));
        continue;
      }
      const doing = made.block;
      const outer = await names.openHoldfast({ store: "memory:" });
      try {
        await outer.run("triage-1", () => 1);
        let isOver = false;
        const serving = block.text.includes("hf.serve") ? serve(outer) : Promise.resolve();
        const answering = answerBlocks(() => isOver);
        const doingIt = outer.run("block", async (run) => void (await doing(outer, run)));
        await doingIt.finally(() => (isOver = true));
        await Promise.all([answering, serving]);
      } finally {
        await names.closeAll();
      }
    }
  } finally {
    process.chdir(cwd);
  }
});

/** Gives the worker of a block a run, and closes its store once that is done. */
async function serve(outer: Holdfast): Promise<void> {
  while (names.lastOpened() === outer) await new Promise((resolve) => setTimeout(resolve, 5));
  const hf = names.lastOpened();
  await hf?.start("served", "triage");
  assert.equal(await hf?.result("served"), "looked");
  await hf?.close();
}

test("P4 every configuration and flow in the pages is valid, and every document in them can be read", async () => {
  for (const block of inLanguage("json")) assert.ok(JSON.parse(block.text));
  const problems: string[] = [];
  // The schema that a flow in the pages names.
  mkdirSync(path.join(folder, "schemas"));
  writeFileSync(path.join(folder, "schemas", "plan.json"), '{ "type": "object" }');
  for (const [index, block] of inLanguage("yaml").entries()) {
    const value = loadYaml(block.text);
    assert.ok(typeof value === "object" && value !== null, placeOf(block));
    if ("turns" in value) {
      assert.ok(modelScriptSchema.parse(value), placeOf(block));
      continue;
    }
    const file = path.join(folder, `block-${String(index)}.yaml`);
    writeFileSync(file, block.text);
    const agents = [...block.text.matchAll(/\bagent: *"?([\w-]+)/g)].map(([, name]) => [
      name,
      { use: "demo" },
    ]);
    const config = configSchema.parse({
      agents: { dev: { use: "demo" }, ...(Object.fromEntries(agents) as object) },
    });
    const found = await validateFile(file, { agent: "dev", config: () => Promise.resolve(config) });
    problems.push(...found.problems.map((problem) => `${placeOf(block)}: ${problem}`));
  }
  assert.deepEqual(problems, []);
});

const USAGE = 2;

test("O1 the commands in the pages are understood as they stand", { timeout: 300_000 }, () => {
  const bin = path.join(folder, "bin");
  const work = path.join(folder, "work");
  for (const one of [bin, work, path.join(folder, "home")]) mkdirSync(one, { recursive: true });
  const program = builtProgram(path.join(import.meta.dirname, "..", "cli", "run-cli.ts"));
  const holdfast = path.join(bin, "holdfast");
  writeFileSync(holdfast, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  chmodSync(holdfast, 0o755);
  const env = {
    ...process.env,
    NODE_TEST_CONTEXT: "",
    PATH: `${bin}${path.delimiter}${process.env["PATH"] ?? ""}`,
    HOME: path.join(folder, "home"),
    HOLDFAST_HOME: path.join(folder, "home"),
    HOLDFAST_WATCHDOG: "off",
  };
  assert.equal(spawnSync("git", ["init", "-q"], { cwd: work, env }).status, 0);
  assert.ok(existsSync(work));
  for (const block of inLanguage("sh"))
    for (const line of block.text.split("\n").filter((one) => one.trim() !== "")) {
      const done = spawnSync("bash", ["-c", line], { cwd: work, env, encoding: "utf8", timeout: 60_000 });
      const said = `${placeOf(block)}: ${line}: ${String(done.status)} ${done.stdout}${done.stderr}`;
      assert.ok(done.status !== null && done.status !== USAGE && done.status < 126, said);
    }
  assert.equal(spawnSync(holdfast, ["down", "--stop-agents"], { cwd: work, env, timeout: 60_000 }).status, 0);
});
