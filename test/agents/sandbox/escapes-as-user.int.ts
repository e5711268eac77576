import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

/** Somebody without any right: the number that systems give to nobody. */
const USER = 65_534;
const SUITES = ["escapes", "sandboxed-network", "sandboxed-limits"].map((name) =>
  path.join(import.meta.dirname, `${name}.int.ts`),
);
/** As many as the suites have had since they were written: fewer would prove less. */
const TRIES_MIN = 44;
/** What is tried in the other files, and must not have been skipped either. */
const ALSO = [
  /^ok \d+ - P6 A5 T27 processes that an agent leaves behind in a sandbox end with it[^#]*$/m,
  /^ok \d+ - P6 A5 a fork bomb in a sandbox has no more processes than it may have[^#]*$/m,
  /^ok \d+ - P6 with network: provider an agent reaches what is allowed, and nothing else by name or by address[^#]*$/m,
];
const LIMIT_MS = 300_000;

const asUser = (home: string, args: readonly string[]) =>
  spawnSync(
    "setpriv",
    [`--reuid=${String(USER)}`, `--regid=${String(USER)}`, "--clear-groups", process.execPath, ...args],
    {
      env: { PATH: process.env["PATH"], HOME: home, TMPDIR: home, SHELL: "/bin/sh" },
      cwd: home,
      encoding: "utf8",
      timeout: LIMIT_MS,
      maxBuffer: 1 << 24,
    },
  );

/** Why nobody else can be had to run it; false where somebody can. */
function noUser(): string | false {
  if (process.getuid?.() !== 0)
    return "NOT RUN: this user is an ordinary one already, and escapes.int.ts is proved for it";
  const { status, error } = asUser("/", [
    "-e",
    `require("node:fs").accessSync(${JSON.stringify(SUITES[0])})`,
  ]);
  if (error !== undefined) return `NOT RUN: setpriv cannot be started (${error.message})`;
  return status !== 0 && `NOT RUN: user ${String(USER)} cannot read ${String(SUITES[0])}`;
}

test(
  "P6 what an agent of an ordinary user tries in a sandbox is in vain, as it is for root",
  { skip: noUser() },
  (t) => {
    const home = mkdtempSync(path.join(tmpdir(), "holdfast-user-"));
    chownSync(home, USER, USER);
    t.after(() => rmSync(home, { recursive: true, force: true }));
    const { status, stdout, stderr } = asUser(home, ["--test", "--test-reporter=tap", ...SUITES]);
    const skipped = /# SKIP (no sandbox is possible .*)/.exec(stdout)?.[1];
    if (skipped !== undefined) return t.skip(`NOT RUN: for user ${String(USER)} ${skipped}`);
    assert.equal(status, 0, stdout.slice(-4_000) + stderr.slice(-2_000));
    const inVain = stdout.match(/^\s*ok \d+ - P6 an agent in a sandbox .*, in vain/gm) ?? [];
    t.diagnostic(`${String(inVain.length)} tries of user ${String(USER)}, 0 escapes`);
    assert.ok(inVain.length >= TRIES_MIN, String(inVain.length));
    for (const title of ALSO) assert.match(stdout, title);
  },
);
