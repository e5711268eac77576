import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { unifiedDiff } from "../../../../src/cli/print/diff/unified-diff.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("O1 a diff of two texts turns the one into the other when git applies it", (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-diff-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "a.txt");
  const text = fc
    .tuple(fc.array(fc.constantFrom("a", "b", "c", "", "d e"), { maxLength: 30 }), fc.boolean())
    .map(([lines, isOpen]) => `${lines.join("\n")}${isOpen || lines.length === 0 ? "" : "\n"}`)
    .filter((one) => one !== "");
  fc.assert(
    fc.property(text, text, (before, after) => {
      writeFileSync(file, before);
      const diff = unifiedDiff({ path: "a.txt", before: bytes(before), after: bytes(after) });
      if (before === after) return assert.equal(diff.length, 2);
      const { status, stderr } = spawnSync("git", ["apply", "--unsafe-paths", "--whitespace=nowarn", "-"], {
        cwd: folder,
        input: `${diff.join("\n")}\n`,
        encoding: "utf8",
      });
      assert.equal(status, 0, `${stderr}\n${diff.join("\n")}`);
      assert.equal(readFileSync(file, "utf8"), after);
    }),
    { numRuns: 60 },
  );
});

test("O1 a new file, a removed one and what is no text are named as such", () => {
  const added = unifiedDiff({ path: "n", before: null, after: bytes("x\n") });
  assert.deepEqual(added, ["--- /dev/null", "+++ b/n", "@@ -0,0 +1,1 @@", "+x"]);
  const removed = unifiedDiff({ path: "n", before: bytes("x\n"), after: null });
  assert.deepEqual(removed, ["--- a/n", "+++ /dev/null", "@@ -1,1 +0,0 @@", "-x"]);
  const binary = unifiedDiff({ path: "n", before: bytes("\0"), after: bytes("x") });
  assert.equal(binary.at(-1), "(not shown: no text)");
});
