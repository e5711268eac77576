import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import type { RunEvent } from "../../src/model/events/events.ts";
import type { StatusBlocked } from "../../src/views/status/status.ts";

interface Report {
  readonly taken: number;
  readonly status: string;
  readonly seen: { readonly state: string; readonly waitsFor?: string; readonly evidence: string[] };
  readonly told: RunEvent[];
}

test("L7 P2 without descriptors no agent is started and no attempt is charged; the run waits for its host by name, and goes on", () => {
  const script = path.join(import.meta.dirname, "out-of-descriptors.ts");
  const words = ["-c", `ulimit -n 120; exec "$0" "$1"`, process.execPath, script];
  const { stdout, stderr, status } = spawnSync("sh", words, { encoding: "utf8", timeout: 60_000 });
  assert.equal(status, 0, stderr);
  const report = JSON.parse(stdout) as Report;
  assert.ok(report.taken > 10, "it had some to take");
  assert.deepEqual([report.seen.state, report.seen.waitsFor], ["waiting", "host"]);
  assert.match(report.seen.evidence.join("\n"), /no file descriptors left .*EMFILE.*holdfast doctor/s);
  const started = report.told.filter(({ type }) => type === "AttemptStarted");
  const ended = report.told.flatMap((event) => (event.type === "AttemptEnded" ? [event.data] : []));
  const delayed = report.told.flatMap((event) => (event.type === "EffectDelayed" ? [event.data.fault] : []));
  assert.deepEqual(delayed, ["descriptors"], "it is told once, however often it is tried");
  assert.equal(started.length, 1);
  assert.deepEqual(
    ended.map(({ outcome, charged }) => [outcome, charged]),
    [["succeeded", false]],
  );
  assert.equal(report.status, "completed");
});

interface DiskReport {
  readonly news: string[];
  readonly alive: boolean;
  readonly status: string;
  readonly charged: number;
  readonly damages: unknown[];
  readonly health: { readonly state: string; readonly waitsFor?: string; readonly evidence: string[] };
  readonly hostFaults: { readonly fault: string; readonly command: string }[];
}

/** Plays a story on a small disk of its own; null where none can be mounted, and the test says so. */
function onSmallDisk<Report>(t: TestContext, story: string): Report | null {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-full-"));
  try {
    const words = ["--mount", process.execPath, story, folder];
    const reported = spawnSync("unshare", words, { encoding: "utf8", timeout: 120_000 });
    const noMount =
      reported.error?.message ?? /unshare: .*|Command failed: mount.*/.exec(reported.stderr)?.[0];
    if (noMount !== undefined) {
      t.skip(`no disk can be mounted here: ${noMount}`);
      return null;
    }
    assert.equal(reported.status, 0, reported.stderr);
    return JSON.parse(reported.stdout) as Report;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("P2 L7 a disk that fills up while an agent works is called by its name, the supervisor goes on as soon as there is room, and nothing is lost or charged", (t) => {
  const report = onSmallDisk<DiskReport>(t, path.join(import.meta.dirname, "full-disk-run.ts"));
  if (report === null) return;
  assert.deepEqual(report.news, ["full", "room"], "each is told once");
  assert.ok(report.alive, "the supervisor stays");
  assert.deepEqual([report.health.state, report.health.waitsFor], ["waiting", "host"]);
  assert.match(report.health.evidence[0] ?? "", /the disk of .* is full: 0 bytes are left/);
  assert.deepEqual(
    report.hostFaults.map(({ fault, command }) => [fault, command]),
    [["disk", "holdfast doctor"]],
  );
  assert.deepEqual([report.status, report.charged, report.damages], ["completed", 0, []]);
});

interface FailedReport extends DiskReport {
  readonly code: string;
  readonly text: string;
  readonly end: string;
  readonly isLonger: boolean;
  readonly lost: number;
  readonly blocked: StatusBlocked;
}

test("P2 L7 G3 a full disk that SQLite calls an I/O error does not end the supervisor: runs are blocked as disk_full, nothing acknowledged is lost, and all goes on by itself", (t) => {
  const report = onSmallDisk<FailedReport>(t, path.join(import.meta.dirname, "full-disk-failed.ts"));
  if (report === null) return;
  assert.match(report.text, /disk I\/O error \(SQLite \d+\)/, "SQLite did not call it full");
  assert.equal(report.code, "store_full");
  assert.ok(report.alive, "the supervisor stays");
  assert.deepEqual(report.news, ["full", "room"], "each is told once");
  const { reason, owner, command, session, attemptKept } = report.blocked;
  assert.deepEqual(
    { reason, owner, command, session, attemptKept },
    {
      reason: "disk_full",
      owner: "operator",
      command: "holdfast doctor",
      session: "alive",
      attemptKept: true,
    },
  );
  assert.equal(report.end, "worked");
  assert.deepEqual([report.status, report.charged, report.damages], ["completed", 0, []]);
  assert.ok(report.isLonger, "it went on after there was room");
  assert.equal(report.lost, 0, "what was acknowledged is there");
});
