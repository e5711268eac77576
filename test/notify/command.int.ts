import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { readProcess } from "../../src/agents/process-table.ts";
import type { SentNotice } from "../../src/model/settings/notice.ts";
import { channelNotifier } from "../../src/notify/channel-notifier.ts";
import type { DeliveryOutcome } from "../../src/notify/notifier.ts";
import { realWorld } from "../../src/real-world.ts";
import { sampleNotice } from "./sample-notice.ts";

const limit = { timeout: 60_000 };
let folder = "";
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-command-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string): string => path.join(folder, name);

function run(
  command: readonly string[],
  { notice = sampleNotice, limitMs = 30_000, env = process.env } = {},
): Promise<DeliveryOutcome> {
  const notifier = channelNotifier({ world: realWorld(), env });
  return notifier.deliver(notice, { use: "command", command: [...command], limitMs });
}

const sh = (script: string, ...more: string[]): readonly string[] => ["/bin/sh", "-c", script, "sh", ...more];

function failure(outcome: DeliveryOutcome): string {
  assert.ok(outcome.kind === "failed");
  assert.equal(outcome.terminal, false);
  return outcome.text;
}

const isGone = (pid: number): boolean => {
  const row = readProcess(pid);
  return row === undefined || (row !== "unknown" && row.zombie);
};

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

test("O3 a program is given the notice on its standard input and in its environment", limit, async () => {
  const outcome = await run(sh('cat >"$1"; env >"$2"', file("input"), file("env")));
  assert.deepEqual(outcome, { kind: "delivered", detail: "command sh: exited with 0" });
  assert.deepEqual(JSON.parse(readFileSync(file("input"), "utf8")), sampleNotice);
  const env = readFileSync(file("env"), "utf8");
  for (const entry of ["ID=msg_0000000001", "KIND=escalation", "RUN=run_1", "OWNER=ada", "ESCALATION=esc_1"])
    assert.ok(env.includes(`HOLDFAST_NOTICE_${entry}\n`), entry);
  assert.match(env, /HOLDFAST_NOTICE_TEXT=The third check failed\.\n<!channel> ␛\[31mred — grüße\n/);
});

test(
  "O3 a program runs in the folder of its run, no matter who starts it, and elsewhere once that is gone",
  limit,
  async () => {
    const notifier = channelNotifier({ world: realWorld(), env: process.env });
    const command = [...sh('pwd -P >"$1"', file("where"))];
    for (const [cwd, where] of [
      [folder, folder],
      [file("never-made"), process.cwd()],
    ] as const) {
      assert.equal(
        (await notifier.deliver(sampleNotice, { use: "command", command, limitMs: 30_000 }, cwd)).kind,
        "delivered",
      );
      assert.equal(readFileSync(file("where"), "utf8").trim(), realpathSync(where));
    }
  },
);

test("P3 words of a notice are never read by a shell, nor taken for arguments", limit, async () => {
  const title = '$(touch harm); `touch harm` "; touch harm; --version';
  const notice: SentNotice = { ...sampleNotice, title, text: "a\0b\ud800" };
  const outcome = await run(
    ["/usr/bin/env", "sh", "-c", 'printf %s "$HOLDFAST_NOTICE_TITLE" >"$0"', file("title")],
    { notice },
  );
  assert.equal(outcome.kind, "delivered");
  assert.equal(readFileSync(file("title"), "utf8"), title);
  assert.ok(!existsSync(file("harm")) && !existsSync("harm"));
});

test("O3 a notice too long for a variable is cut there and whole on standard input", limit, async () => {
  const notice: SentNotice = { ...sampleNotice, text: "x".repeat(1_000_000) };
  const outcome = await run(
    sh('cat >"$1"; printf %s "$HOLDFAST_NOTICE_TEXT" | wc -c >"$2"', file("long"), file("count")),
    { notice },
  );
  assert.equal(outcome.kind, "delivered");
  assert.deepEqual(JSON.parse(readFileSync(file("long"), "utf8")), notice);
  assert.equal(Number(readFileSync(file("count"), "utf8")), 8_192);
});

test("O3 any other exit is a failure, with the beginning of what was said", limit, async () => {
  assert.equal(
    failure(await run(sh("echo 'no \u001b[31mserver' >&2; exit 3"))),
    "command sh: ended with 3 and said: no ␛[31mserver",
  );
  assert.match(
    failure(await run(sh("yes no | head -c 1000000; exit 1"))),
    /^command sh: ended with 1 and said: no no.{1,250}…$/,
  );
  assert.equal(failure(await run(sh("kill -KILL $$"))), "command sh: ended with SIGKILL");
});

test(
  "O3 a program that is missing or may not be run is a failure that may be tried again",
  limit,
  async () => {
    writeFileSync(file("plain"), "x");
    assert.match(failure(await run([file("none")])), /^command none: could not be started: .*ENOENT/);
    assert.match(failure(await run([file("plain")])), /EACCES/);
    assert.match(failure(await run(["a\0b"])), /could not be started/);
  },
);

test("O3 a program that reads nothing is assessed by its exit all the same", limit, async () => {
  const notice: SentNotice = { ...sampleNotice, text: "x".repeat(1_000_000) };
  assert.equal((await run(["true"], { notice })).kind, "delivered");
  assert.equal((await run(["false"], { notice })).kind, "failed");
});

test("A5 a program that hangs is ended with all it started, politely and then firmly", limit, async () => {
  const script = `trap '' TERM; sleep 3600 & echo $! >"$1.draft"; mv "$1.draft" "$1"; while :; do sleep 1; done`;
  const text = failure(await run(sh(script, file("child")), { limitMs: 400 }));
  assert.equal(text, "command sh: did not end within 400 ms and was ended");
  await until(() => isGone(Number(readFileSync(file("child"), "utf8"))));
});

test(
  "A5 what a program leaves in its group is ended with it, and does not hold up the answer",
  limit,
  async () => {
    const outcome = await run(sh('sleep 3600 & echo $! >"$1"', file("left")));
    assert.equal(outcome.kind, "delivered");
    await until(() => isGone(Number(readFileSync(file("left"), "utf8"))));
  },
);

test("O3 what ends Holdfast under test does not reach a program", limit, async () => {
  const env = { ...process.env, HOLDFAST_CRASH_AT: "x#1", KEPT: "yes" };
  assert.equal(
    (await run(sh('test -z "$HOLDFAST_CRASH_AT" && test "$KEPT" = yes'), { env })).kind,
    "delivered",
  );
});
