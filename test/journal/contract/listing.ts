import assert from "node:assert/strict";
import { claimed, order, type Case } from "./scene.ts";

export const listingCases: readonly Case[] = [
  {
    title: "J1 runs are listed newest first with what their last append said of them",
    async run({ journal }) {
      for (const run of ["run_b", "run_c", "run_a"]) {
        await claimed(journal, run);
        await journal.append(order(run, 0, { at: 10 }));
      }
      const listing = { status: "blocked", goal: "another goal", wakeAt: 99 } as const;
      await journal.append(order("run_b", 1, { at: 20, listing }));
      const runs = await journal.runs();
      assert.deepEqual(
        runs.map(({ run }) => run),
        ["run_a", "run_c", "run_b"],
      );
      assert.deepEqual(runs[2], { run: "run_b", seq: 2, createdAt: 10, updatedAt: 20, ...listing });
      assert.deepEqual(runs[0], {
        run: "run_a",
        seq: 1,
        createdAt: 10,
        updatedAt: 10,
        status: "running",
        goal: "goal of run_a",
        wakeAt: null,
      });
    },
  },
  {
    title: "J1 runs are listed by status, and at most as many as asked for",
    async run({ journal }) {
      const statuses = ["running", "paused", "completed", "running", "paused"] as const;
      for (const [index, status] of statuses.entries()) {
        const run = `run_${String(index)}`;
        await claimed(journal, run);
        await journal.append(order(run, 0, { listing: { status, goal: "g", wakeAt: null } }));
      }
      const listed = async (...filter: Parameters<typeof journal.runs>) =>
        (await journal.runs(...filter)).map(({ run }) => run);
      assert.deepEqual(await listed({ statuses: ["running"] }), ["run_3", "run_0"]);
      assert.deepEqual(await listed({ statuses: ["running", "completed"] }), ["run_3", "run_2", "run_0"]);
      assert.deepEqual(await listed({ statuses: ["failed"] }), []);
      assert.deepEqual(await listed({ statuses: [] }), []);
      assert.deepEqual(await listed({ limit: 2 }), ["run_4", "run_3"]);
      assert.deepEqual(await listed({ statuses: ["paused"], limit: 1 }), ["run_4"]);
    },
  },
  {
    title:
      "J1 runs that have something to do at a time of their own are listed apart, those that are over too",
    async run({ journal }) {
      const times = { run_a: null, run_b: 0, run_c: null, run_d: 7 };
      for (const [run, wakeAt] of Object.entries(times)) {
        await claimed(journal, run);
        const status = run === "run_d" ? "failed" : "blocked";
        await journal.append(order(run, 0, { listing: { status, goal: "g", wakeAt } }));
      }
      const listed = async (...filter: Parameters<typeof journal.runs>) =>
        (await journal.runs(...filter)).map(({ run }) => run);
      assert.deepEqual(await listed({ waking: true }), ["run_d", "run_b"]);
      assert.deepEqual(await listed({ waking: true, statuses: ["blocked"] }), ["run_b"]);
      await journal.append(order("run_d", 1, { listing: { status: "failed", goal: "g", wakeAt: null } }));
      assert.deepEqual(await listed({ waking: true }), ["run_b"]);
    },
  },
  {
    title: "J1 a listing that changes back and forth is always the last one",
    async run({ journal, store }) {
      const other = await store.open();
      await claimed(journal, "run_a");
      for (const [expected, status] of (["running", "paused", "running", "paused"] as const).entries()) {
        const writer = expected < 2 ? journal : other;
        await writer.append(order("run_a", expected, { listing: { status, goal: "g", wakeAt: expected } }));
        for (const reader of [journal, other]) {
          const [listed] = await reader.runs();
          assert.deepEqual([listed?.status, listed?.wakeAt], [status, expected]);
        }
      }
    },
  },
];
