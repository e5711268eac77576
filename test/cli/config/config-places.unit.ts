import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { readDocument } from "../../../src/cli/config/read-document.ts";
import { validateFile } from "../../../src/cli/config/validate-file.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import { errorText } from "../../../src/model/fault.ts";

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-places-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const file = (content: string | Buffer): string => {
  const name = path.join(folder, "tried.yaml");
  writeFileSync(name, content);
  return name;
};
const problem = (content: string | Buffer): string => {
  try {
    readDocument(file(content), "the file");
  } catch (error) {
    return errorText(error);
  }
  return assert.fail("nothing was wrong with it");
};
const validated = (content: string) =>
  validateFile(file(content), { agent: undefined, config: () => Promise.resolve(configSchema.parse({})) });

test("P4 a value that is left out is named with the place of its key, never with a negative column", () => {
  const { places } = readDocument(file("agents:\nattempts:\n  perStep:\nlist:\n  - \n  - 1\n"), "the file");
  assert.equal(places.at(["agents"], "value"), "line 1, column 1");
  assert.equal(places.at(["attempts", "perStep"], "value"), "line 3, column 3");
  assert.equal(places.at(["list", 1], "value"), "line 6, column 5");
  assert.doesNotMatch(String(places.at(["list", 0], "value")), /-\d/);
});

test("P4 a second document, bad UTF-8 and a quote that is not closed are named with their lines", () => {
  assert.match(problem("# first\n---\na: 1\n---\nb: 2\n"), /is not YAML, line 4, column 1: /);
  assert.match(problem("a: 1\n---\nb: 2\n"), /is not YAML, line 2, column 1: /);
  assert.match(
    problem(Buffer.from([0x61, 0x3a, 0x20, 0x31, 0x0a, 0x62, 0x3a, 0xff, 0x0a])),
    /not UTF-8 text, line 2$/,
  );
  assert.match(problem('name: "abc\nsteps: []\n'), /line 2, column 1: .*a quote above it is not closed/);
});

test("P4 a flow without steps is read as a flow, and the error says that they are missing", async () => {
  for (const content of ["name: fix\n", "name: fix\nphases: []\n"]) {
    const { kind, problems } = await validated(content);
    assert.equal(kind, "flow");
    assert.match(problems.join("\n"), /steps/);
    assert.doesNotMatch(problems.join("\n"), /name is not a key here/);
  }
  assert.equal((await validated("attempts:\n  perStep: 2\n")).kind, "configuration");
});
