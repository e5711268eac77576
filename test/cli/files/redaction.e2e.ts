import assert from "node:assert/strict";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { CliBench } from "../cli-process.ts";

const KNOWN = "correct horse battery staple";
const VENDOR = `ghp_${"a1B2".repeat(9)}`;
const FORMS = [KNOWN, Buffer.from(`x${KNOWN}`).toString("base64").slice(2, 34), VENDOR];
const SAID = `the password is ${KNOWN}, as base64 ${Buffer.from(`x${KNOWN}`).toString("base64")}, and ${VENDOR}`;

const act = (...acts: object[]): string => JSON.stringify({ attempts: [acts] });

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return filesUnder(file);
    return lstatSync(file).isFile() ? [file] : [];
  });

/** What an agent was given and itself printed stays with its session, and the trees are as they are, byte for byte. */
const isRaw = (file: string): boolean => /\.spool$|order\.json$|-trees\//.test(file);

test("P5 a secret that an agent says and a check prints is in no journal, no command's output, no notice and no mirror", async () => {
  const bench = new CliBench({
    "says.json": act({ do: "say", text: SAID }, { do: "claim", ok: true, text: `done with ${KNOWN}` }),
    "holdfast.yaml": [
      "supervisor: { idleExitMs: 300, scanMs: 100 }",
      "backoff: { baseMs: 1 }",
      "mirrors: { humanTasks: true, status: true }",
      "",
    ].join("\n"),
    "check.sh": `echo "${SAID}"; exit 1\n`,
  });
  try {
    const env = { DB_PASSWORD: KNOWN };
    const done = await bench.call(
      ["run", "work", "--agent", "demo:says.json", "--check", "sh check.sh", "--id", "r", "--trust"],
      { env },
    );
    assert.notEqual(done.code, 0, done.stdout + done.stderr);
    const outputs = [done];
    for (const args of [
      ["status", "r"],
      ["why", "r"],
      ["events", "r", "--json"],
      ["export", "r"],
      ["inbox"],
      ["logs", "r"],
    ])
      outputs.push(await bench.call(args, { env }));
    const shown = outputs.map(({ stdout, stderr }) => stdout + stderr).join("\n");
    assert.match(shown, /\[redacted: DB_PASSWORD\]/);
    assert.match(shown, /\[redacted: github-token\]/);
    const kept = filesUnder(bench.home).filter((file) => !isRaw(file));
    assert.ok(kept.length > 3, "files are looked at");
    const places = kept.map((file) => [file, readFileSync(file, "latin1")] as const);
    for (const secret of FORMS) {
      assert.ok(!shown.includes(secret), `${secret} is shown`);
      assert.deepEqual(
        places.filter(([, text]) => text.includes(secret)).map(([file]) => file),
        [],
        `${secret} is kept`,
      );
    }
    for (const mirror of readdirSync(bench.cwd).filter((name) => /HUMAN_TASKS|status/i.test(name)))
      for (const secret of FORMS)
        assert.ok(!readFileSync(path.join(bench.cwd, mirror), "utf8").includes(secret), mirror);
  } finally {
    await bench.close();
  }
});
