import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { copyHoldfast } from "./packed-holdfast.ts";

const REPOSITORY = path.join(import.meta.dirname, "..", "..");
const INSTALL = "npm install ../holdfast-0.1.0.tgz";
const LIMIT_MS = 120_000;

interface Block {
  readonly kind: string;
  /** Of a file that the reader is asked to write. */
  readonly name: string;
  readonly text: string;
}

const blocksOf = (page: string): Block[] =>
  [...page.matchAll(/^```(\w+) ?(\S*)\n(.*?)^```$/gms)].map(([, kind = "", name = "", text = ""]) => ({
    kind,
    name,
    text,
  }));

/** What the tarball brings, from this checkout; `installed-package.e2e.ts` installs the tarball itself. */
function install(folder: string): void {
  const modules = path.join(folder, "node_modules");
  mkdirSync(path.join(modules, ".bin"), { recursive: true });
  copyHoldfast(path.join(modules, "holdfast"));
  symlinkSync("../holdfast/bin/holdfast.js", path.join(modules, ".bin", "holdfast"));
}

test("J5 a reader who follows the guide from nothing gets an agent that survives a kill and repeats nothing", () => {
  // Inside the checkout, where what the package depends upon is found.
  mkdirSync(path.join(REPOSITORY, ".cache"), { recursive: true });
  const folder = mkdtempSync(path.join(REPOSITORY, ".cache", "guide-"));
  const place = path.join(folder, "survivor");
  const shell = (text: string, cwd: string): string => {
    const env = { ...process.env, NODE_TEST_CONTEXT: "" };
    const done = spawnSync("bash", ["-c", text], { cwd, env, encoding: "utf8", timeout: LIMIT_MS });
    return done.stdout + done.stderr;
  };
  try {
    const said: string[] = [];
    for (const { kind, name, text } of blocksOf(
      readFileSync(path.join(REPOSITORY, "docs", "guide.md"), "utf8"),
    )) {
      if (name !== "") writeFileSync(path.join(place, name), text);
      else if (kind === "sh" && text.includes(INSTALL)) {
        said.push(shell(text.replace(INSTALL, "true"), folder));
        install(place);
      } else if (kind === "sh") said.push(shell(text, place));
    }
    const [, , resumed = "", looked = ""] = said;
    assert.equal(said.length, 4, "the guide has other commands than this test knows");
    assert.match(resumed, /^thought 0, thought 1, thought 2, thought 3, thought 4$/m, said.join("\n---\n"));
    const notes = readFileSync(path.join(place, "notes.txt"), "utf8").split("\n").filter(Boolean);
    assert.deepEqual(
      [...new Set(notes)],
      [0, 1, 2, 3, 4].map((n) => `thought ${String(n)}`),
    );
    assert.ok(notes.length <= 6, `a kill loses one note at most: ${notes.join(", ")}`);
    assert.match(looked, /my-first-agent .*completed/);
    assert.match(looked, /BodyLooped|iteration/);
    assert.match(shell("node agent.ts", place), /^thought 0, thought 1/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
