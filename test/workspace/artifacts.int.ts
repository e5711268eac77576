import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import type { Output } from "../../src/model/effects/artifact.ts";
import { realWorld } from "../../src/real-world.ts";
import { fileArtifacts } from "../../src/workspace/accept/file-artifacts.ts";

const root = mkdtempSync(path.join(tmpdir(), "holdfast-artifacts-"));
after(() => rmSync(root, { recursive: true, force: true }));

const tree = path.join(root, "tree");
const home = path.join(root, "home");
mkdirSync(path.join(tree, "made"), { recursive: true });
const artifacts = fileArtifacts({ world: realWorld(), folder: home });
const write = (name: string, content: string | Buffer): void => writeFileSync(path.join(tree, name), content);
const sha256 = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");
const collect = (...outputs: Output[]) => artifacts.collect({ tree, outputs, fileBytesMax: 100 });
const problem = async (output: Output): Promise<string> =>
  (await collect(output)).problems.map((one) => one.problem).join("; ");

const PLAN = {
  type: "object",
  required: ["steps"],
  properties: { steps: { type: "array", items: { type: "string" }, minItems: 1 } },
  additionalProperties: false,
};

test("W10 an output counts only if it is a file that is there, is not empty, and is what was declared", async () => {
  write("empty", "");
  write("large", "x".repeat(101));
  write("text", "no JSON");
  write("wrong.json", JSON.stringify({ steps: [], more: 1 }));
  write("right.json", JSON.stringify({ steps: ["one"] }));
  write("invalid.json", Buffer.from([0x22, 0xff, 0x22]));
  symlinkSync("right.json", path.join(tree, "link"));
  symlinkSync("made", path.join(tree, "aside"));
  write("made/file", "kept");
  assert.equal(await problem({ path: "missing" }), "it is not there");
  assert.equal(await problem({ path: "text/below" }), "it is not there");
  assert.equal(await problem({ path: "made" }), "it is a folder, not a file");
  assert.equal(await problem({ path: "link" }), "it is a link, not a file");
  assert.equal(await problem({ path: "aside/file" }), "a folder on the way to it is a link");
  assert.equal(await problem({ path: "empty" }), "it is empty");
  assert.equal(await problem({ path: "large" }), "it is larger than 100 bytes");
  assert.match(await problem({ path: "text", schema: PLAN }), /it is no JSON/);
  assert.match(await problem({ path: "invalid.json", schema: PLAN }), /it is no JSON/);
  assert.match(
    await problem({ path: "wrong.json", schema: PLAN }),
    /does not fit its schema: steps: .*; it does/,
  );
  assert.match(await problem({ path: "text", sha256: sha256("other") }), /its SHA-256 is/);
  assert.equal(await problem({ path: "right.json", schema: PLAN }), "");
  assert.equal(await problem({ path: "text", sha256: sha256("no JSON") }), "");
});

test("W10 of several outputs none is kept unless all are as declared", async () => {
  const before = readdirSync(path.join(home, "kept")).length;
  write("fresh", "never seen before");
  const { artifacts: none, problems } = await collect({ path: "fresh" }, { path: "missing" });
  assert.deepEqual([none, problems], [[], [{ path: "missing", problem: "it is not there" }]]);
  assert.equal(readdirSync(path.join(home, "kept")).length, before);
  const { artifacts: both } = await collect({ path: "fresh" }, { path: "made/file" });
  assert.deepEqual(
    both.map(({ path: name, digest }) => [name, digest]),
    [
      ["fresh", sha256("never seen before")],
      ["made/file", sha256("kept")],
    ],
  );
});

test("W10 what is handed on is what was accepted, no matter what became of the file; a copy that was changed is not handed on", async () => {
  const bytes = Buffer.from([0, 255, 10, 13]);
  write("made/plan.bin", bytes);
  const [accepted] = (await collect({ path: "made/plan.bin" })).artifacts;
  assert.ok(accepted !== undefined);
  write("made/plan.bin", "spoilt");
  const order = { key: "run.build.1", artifacts: [{ ...accepted, step: "plan/a" }] };
  const folder = await artifacts.hand(order);
  assert.equal(await artifacts.hand(order), folder);
  assert.deepEqual(readFileSync(path.join(folder, "plan~a", "made", "plan.bin")), bytes);
  writeFileSync(path.join(home, "kept", accepted.digest), "spoilt too");
  await assert.rejects(artifacts.hand(order), /no longer kept as it was accepted.*retry --step plan\/a/);
});
