import assert from "node:assert/strict";
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Journal } from "../../src/journal/journal.ts";
import { isFault } from "../../src/model/fault.ts";
import { all, claimed, headIn, order, owner, said } from "./contract/scene.ts";
import type { Command, Report } from "./contender.ts";

const contenderFile = fileURLToPath(new URL("contender.ts", import.meta.url));

interface Contender {
  readonly name: string;
  readonly process: ChildProcess;
  readonly tell: (command: Command) => void;
  /** The next report not taken yet. */
  readonly hear: () => Promise<Report>;
}

async function startContender(store: string, name: string): Promise<Contender> {
  const child = fork(contenderFile, [store, name], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const received: Report[] = [];
  child.on("message", (report: Report) => void (received.push(report), child.emit("heard")));
  const receive = async (): Promise<Report> => {
    while (received.length === 0) await once(child, "heard");
    const report = received.shift();
    assert.ok(report !== undefined);
    return report;
  };
  assert.equal((await receive()).kind, "ready");
  return { name, process: child, tell: (command) => void child.send(command), hear: receive };
}

/** A store that several processes contend in. */
export interface Arena {
  /** How a contender is told where it is. */
  readonly store: string;
  open(): Promise<Journal>;
  remove(): Promise<void>;
}

interface Contest {
  readonly journal: Journal;
  readonly contenders: readonly Contender[];
}

/** One store, so many contenders, and nothing left of either afterwards. */
async function contest(
  arena: Arena,
  names: readonly string[],
  play: (scene: Contest) => Promise<void>,
): Promise<void> {
  const journal = await arena.open();
  const contenders: Contender[] = [];
  try {
    for (const name of names) contenders.push(await startContender(arena.store, name));
    await play({ journal, contenders });
  } finally {
    await Promise.all(contenders.map(({ process: child }) => end(child)));
    await journal.close();
    await arena.remove();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

const writers = async (journal: Journal, run: string): Promise<string[]> =>
  (await journal.read(run, all)).map((event) => (event.type === "LimitReached" ? event.data.detail : ""));

/** Two processes contend for so many positions of one run; each must have exactly one winner. */
export function contendForPositions(arena: Arena, appends: number): Promise<void> {
  return contest(arena, ["own_left", "own_right"], async ({ journal, contenders }) => {
    const winners: string[] = [];
    const losses = new Set<string>();
    for (let expected = 0; expected < appends; expected += 1) {
      const inTurn = expected % 2 === 0 ? contenders : contenders.toReversed();
      for (const { tell: report } of inTurn) report({ kind: "contend", run: "run_a", expected });
      for (const { name, hear: receive } of contenders) {
        const report = await receive();
        assert.ok(report.kind === "tried");
        if (report.outcome === "appended") winners.push(name);
        else losses.add(report.outcome);
      }
      assert.equal(
        winners.length,
        expected + 1,
        `position ${String(expected + 1)} has not exactly one winner`,
      );
    }
    assert.deepEqual(await writers(journal, "run_a"), winners);
    for (const { name } of contenders) assert.ok(winners.includes(name), `${name} never won`);
    assert.ok(
      [...losses].every((outcome) => outcome === "conflict" || outcome === "fenced"),
      [...losses].join(),
    );
    assert.deepEqual(await journal.verify(), []);
  });
}

/** An owner is stopped so many times, taken over from, and woken: it must write nothing more. */
export function stopOwners(arena: Arena, stops: number): Promise<void> {
  return contest(arena, ["own_sleeper"], async ({ journal, contenders: [sleeper] }) => {
    assert.ok(sleeper !== undefined);
    for (let round = 0; round < stops; round += 1) {
      const run = `run_${String(round)}`;
      const epoch = await claimed(journal, run, sleeper.name);
      sleeper.tell({ kind: "work", run, expected: 0, epoch });
      assert.equal((await sleeper.hear()).kind, "acknowledged");
      await takeOverWhileStopped(journal, run, sleeper.process);
      const expected = (await journal.head(run))?.seq ?? 0;
      headIn(await journal.append(order(run, expected, { epoch: epoch + 1, events: [said("own_heir")] })));
      sleeper.process.kill("SIGCONT");
      const acknowledged = await lastAcknowledged(sleeper);
      assert.ok(
        acknowledged <= expected,
        "an append of the old owner was acknowledged after it had lost the run",
      );
      assert.deepEqual(await writers(journal, run), [
        ...Array<string>(expected).fill(sleeper.name),
        "own_heir",
      ]);
    }
  });
}

/** Stops the owner at a random instant and takes over from it; it stays stopped. */
async function takeOverWhileStopped(journal: Journal, run: string, sleeper: ChildProcess): Promise<void> {
  for (;;) {
    await pause(Math.random() * 5);
    sleeper.kill("SIGSTOP");
    await isStopped(sleeper);
    try {
      const seen = await journal.lease(run);
      assert.ok(seen !== null);
      assert.equal((await journal.takeOver(run, owner("own_heir"), seen)).kind, "claimed");
      return;
    } catch (error) {
      // It was stopped inside a transaction, and nobody can write until it goes on.
      if (!isFault(error, "store_busy")) throw error;
      sleeper.kill("SIGCONT");
    }
  }
}

async function isStopped({ pid }: ChildProcess): Promise<void> {
  while (!/\) T /.test(readFileSync(`/proc/${String(pid)}/stat`, "utf8"))) await pause(1);
}

async function lastAcknowledged({ hear: receive }: Contender): Promise<number> {
  let last = 0;
  for (;;) {
    const report = await receive();
    if (report.kind === "acknowledged") last = report.seq;
    else {
      assert.deepEqual(report, { kind: "stopped", outcome: "fenced" });
      return last;
    }
  }
}
