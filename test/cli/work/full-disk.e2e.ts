import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { builtProgram } from "../../built-program.ts";
import type { StatusView } from "../../../src/views/status/status.ts";
import { ELSEWHERE } from "../real-causes.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(4);

const PROGRAM = builtProgram(path.join(import.meta.dirname, "..", "run-cli.ts"));
const SKIP = { status: 99, text: "NO MOUNT" };

/** What each command prints about a store whose disk is full, by its name. */
function onFullDisk(root: string): Record<string, string> | null {
  const asks = { attempts: [[{ do: "blocked", reason: "needs_human", text: "which?" }]] };
  mkdirSync(path.join(root, "home"));
  writeFileSync(path.join(root, "asks.json"), JSON.stringify(asks));
  const waits = {
    attempts: [
      [
        { do: "wait", file: "go" },
        { do: "claim", ok: true, text: "done" },
      ],
    ],
  };
  writeFileSync(path.join(root, "waits.json"), JSON.stringify(waits));
  const script = `
    mount -t tmpfs -o size=6m tmpfs "$ROOT/home" || exit ${String(SKIP.status)}
    cli() { "$NODE" "$PROGRAM" "$@"; }
    cli run g --id r --agent demo:asks.json >/dev/null 2>&1
    cli run works --id w --agent demo:waits.json --detach >/dev/null 2>&1
    cat /dev/zero >"$HOLDFAST_HOME/filler" 2>/dev/null
    # As much as SQLite needs to read: a supervisor that is at work has it already.
    truncate -s -400K "$HOLDFAST_HOME/filler"
    for words in runs inbox "watch --once" "why r --json"; do
      echo "@@ $words"
      cli $words 2>&1
    done
    echo "@@ blocked"
    cli status w --json 2>/dev/null
    echo "@@ pasted"
    cli doctor 2>&1
    rm "$HOLDFAST_HOME/filler"
    touch go
    cli wait w --timeout 2m >/dev/null 2>&1
    echo "@@ afterwards"
    cli status w --json 2>/dev/null
    cli down --stop-agents >/dev/null 2>&1`;
  const env = { ...process.env, ROOT: root, HOLDFAST_HOME: path.join(root, "home"), NODE: process.execPath };
  const done = spawnSync("unshare", ["-m", "sh", "-c", script], {
    cwd: root,
    env: { ...env, PROGRAM, NODE_TEST_CONTEXT: "" },
    encoding: "utf8",
    timeout: 240_000,
  });
  if (done.error !== undefined || done.status === SKIP.status || /unshare failed/.test(done.stderr))
    return null;
  const parts = done.stdout.split("@@ ").slice(1);
  return Object.fromEntries(parts.map((part) => [part.slice(0, part.indexOf("\n")), part]));
}

/** The document behind the name of its part. */
const statusIn = (part = ""): StatusView => JSON.parse(part.slice(part.indexOf("{"))) as StatusView;

test("L7 G3 a full disk is named by every command that shows runs, with what to do", (t) => {
  const root = mkdtempSync(path.join(tmpdir(), "holdfast-full-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const reported = onFullDisk(root);
  if (reported === null) return t.skip("no disk may be mounted here (needs root and mount namespaces)");
  const { blocked, pasted = "", afterwards, ...shown } = reported;
  assert.equal(Object.keys(shown).length, 4, JSON.stringify(reported));
  const choices = statusIn(blocked).blocked?.choices.map(({ command }) => command.split(" ")[1]);
  const ways = ELSEWHERE.disk_full?.ways ?? [];
  assert.deepEqual(
    [statusIn(blocked).blocked?.reason, choices],
    ["disk_full", ways.map(({ verb }) => verb)],
    blocked,
  );
  assert.match(pasted, /disk/);
  assert.equal(statusIn(afterwards).status, ways[0]?.after, "it continues once there is room");
  for (const [words, text] of Object.entries(shown)) {
    assert.match(text, /the disk of \S+ is full: \d+ bytes are left/, words);
    if (words.endsWith("--json")) assert.match(text, /"reason": ?"disk_full"/, words);
    if (words.endsWith("--json")) assert.match(text, /"command": ?"holdfast doctor"/, words);
  }
  assert.match(reported["inbox"] ?? "", /disk_full · for operator/);
});
