import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { totalmem } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { plainTextIfAny } from "../../../src/files/plain-file.ts";
import { noSandbox, SandboxStage } from "./sandbox-stage.ts";

const MB = 2 ** 20;
const OOM = "/proc/self/oom_score_adj";

/** Bounded in itself: so many processes, each for a few seconds, and none of them makes more. */
const FORKS = `perl -e 'my $made = 0; for (1..150) { my $p = fork; if (!defined $p) { last } if (!$p) { sleep 2; exit } $made++ } open(F, ">made"); print F $made; close F;'`;

const textOf = (outcome: { kind: string; sandbox?: { text: string } }): string => outcome.sandbox?.text ?? "";

test(
  "P6 A5 a fork bomb in a sandbox has no more processes than it may have, and nothing of it is left",
  { skip: noSandbox },
  async (t) => {
    const stage = new SandboxStage({ limits: { processes: 40 } });
    t.after(() => stage.close());
    const order = stage.order(`${FORKS}; exit 0`);
    const { outcome } = await stage.play(order);
    if (!textOf(outcome).includes("at most 40 processes"))
      return t.skip(`this machine limits no processes: ${textOf(outcome)}`);
    const made = Number(readFileSync(path.join(stage.repo, "made"), "utf8"));
    assert.ok(made > 0 && made < 40, `${String(made)} of 150 processes were made`);
    const { folder } = sessionFolder(stage.sessions, order.session);
    assert.equal(existsSync(path.join(folder, "limits.json")), false);
    const free = await stage.play(stage.order(`${FORKS}; exit 0`, { sandbox: "none" }));
    assert.equal(free.exit.how, "code");
    assert.equal(
      readFileSync(path.join(stage.repo, "made"), "utf8"),
      "150",
      "without a sandbox all are made",
    );
  },
);

test(
  "P6 an agent in a sandbox that takes more memory than it may have ends, and the machine has its memory",
  { skip: noSandbox },
  async (t) => {
    const memoryPct = Math.max(1, Math.ceil((128 * MB * 100) / totalmem()));
    const limitBytes = (totalmem() * memoryPct) / 100;
    if (limitBytes > 1024 * MB) return t.skip("one percent of this machine's memory is too much for a test");
    const stage = new SandboxStage({ limits: { memoryPct } });
    t.after(() => stage.close());
    const wanted = String(Math.ceil(limitBytes * 1.5));
    const { outcome, exit } = await stage.play(
      stage.order(`perl -e 'my $x = "x" x ${wanted}; open(F, ">had"); close F'; test -e had`),
    );
    if (!/at most .*MB/.test(textOf(outcome)))
      return t.skip(`this machine limits no memory: ${textOf(outcome)}`);
    assert.notDeepEqual(exit, { kind: "exit", how: "code", code: 0 });
    assert.equal(existsSync(path.join(stage.repo, "had")), false);
  },
);

test(
  "P6 where memory runs out the kernel ends an agent in a sandbox before others, and what it starts too",
  { skip: noSandbox || (!existsSync(OOM) && "this system has no order in which the kernel ends programs") },
  async (t) => {
    const stage = new SandboxStage();
    t.after(() => stage.close());
    const { outcome } = await stage.play(stage.order(`(setsid cat ${OOM} > child); cat ${OOM} > own`));
    const own = Number(readFileSync(OOM, "utf8"));
    for (const name of ["own", "child"]) {
      const inside = Number(readFileSync(path.join(stage.repo, name), "utf8"));
      assert.ok(inside >= 500 && inside > own, `${name}: ${String(inside)}, outside ${String(own)}`);
    }
    assert.match(
      textOf(outcome),
      /at most .*MB|no limit of .*memory, ended before others where memory runs out/,
    );
  },
);

test(
  "P6 an agent in a sandbox is in no group of a session before, and its own is removed",
  { skip: noSandbox },
  async (t) => {
    const stage = new SandboxStage();
    t.after(() => stage.close());
    const order = stage.order("until test -e go; do sleep 0.05; done");
    await stage.start(order);
    const file = path.join(sessionFolder(stage.sessions, order.session).folder, "limits.json");
    const folders = JSON.parse(plainTextIfAny(file, { bytesMax: 10_000 }) ?? "[]") as string[];
    const received = stage.receive(order);
    stage.put("home/repo/go", "");
    await received;
    if (folders.length === 0) return t.skip("no control group can be made here");
    assert.deepEqual(
      folders.filter((folder) => existsSync(folder)),
      [],
    );
  },
);
