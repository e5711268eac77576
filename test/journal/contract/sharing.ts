import assert from "node:assert/strict";
import type { Journal } from "../../../src/journal/journal.ts";
import type { SharedResourceFact, SharedResourceRules } from "../../../src/model/host/shared-resource.ts";
import { SharedResources } from "../../../src/runtime/shared-resources.ts";
import { Leases } from "../../../src/runtime/leases.ts";
import { claimed, order, type Case, type Scene } from "./scene.ts";

const ACCOUNT = "account:claude";
const RULES: SharedResourceRules = {
  waitMs: 300_000,
  decayMs: 3_600_000,
  failures: 5,
  openMs: 300_000,
  successes: 2,
  deaths: 5,
  deathsMs: 30_000,
  hostPauseMs: 120_000,
  incidentRuns: 3,
  incidentMs: 600_000,
  brokenMs: 120_000,
  brokenPauses: 5,
};
const limited = (run: string, nth = 1): SharedResourceFact => ({
  key: `${run}/${String(nth)}`,
  kind: "limited",
  run,
  attempt: "work#1",
  text: "You've hit your limit",
  until: null,
  priority: 0,
});
const REPOSITORY = "repository:alpha:/home/ann/app";
const broken = (run: string, same: string): SharedResourceFact => ({
  ...limited(run),
  kind: "broken",
  attempt: "place",
  about: "place",
  same,
});
/** Two that tell at once wait for each other. */
function resources(journal: Journal, { world }: Scene): SharedResources {
  const timer = (delayMs: number, fire: () => void): (() => void) => {
    const timeout = setTimeout(fire, delayMs);
    return () => clearTimeout(timeout);
  };
  return new SharedResources({ journal, world: { ...world, timer } }, new Leases(journal, world, 30_000), 0);
}
const forEver = new AbortController().signal;

export const sharingCases: readonly Case[] = [
  {
    title: "L5 journals of what runs share are no runs: they are listed only when they are asked for",
    async run({ journal }) {
      for (const run of ["run_a", ACCOUNT, "run_b"]) {
        await claimed(journal, run);
        await journal.append(order(run, 0, { listing: { status: "completed", goal: run, wakeAt: null } }));
      }
      const listed = async (...filter: Parameters<typeof journal.runs>) =>
        (await journal.runs(...filter)).map(({ run }) => run);
      assert.deepEqual(await listed(), ["run_b", "run_a"]);
      assert.deepEqual(await listed({ statuses: ["completed"], limit: 2 }), ["run_b", "run_a"]);
      assert.deepEqual(await listed({ shared: true }), [ACCOUNT]);
      assert.deepEqual(await listed({ shared: true, statuses: ["running"] }), []);
      assert.deepEqual(await journal.verify(), []);
    },
  },
  {
    title:
      "L5 a limit that one process tells of is known to every other, once, and after they have all ended",
    async run(scene) {
      const { journal, store } = scene;
      const other = await store.open();
      const [here, there] = [resources(journal, scene), resources(other, scene)];
      const news = await here.publish(ACCOUNT, { fact: limited("run_1"), rules: RULES }, forEver);
      assert.deepEqual([news.pause?.until, news.pause?.first.run], [300_000, "run_1"]);
      // Reported again by the one that came after a crash.
      assert.deepEqual(await there.publish(ACCOUNT, { fact: limited("run_1"), rules: RULES }, forEver), news);
      await Promise.all(
        ["run_2", "run_3"].map((run, index) =>
          (index === 0 ? here : there).publish(ACCOUNT, { fact: limited(run), rules: RULES }, forEver),
        ),
      );
      await journal.close();
      const later = resources(await store.open(), scene);
      const found = await later.publish(ACCOUNT, { fact: limited("run_3"), rules: RULES }, forEver);
      assert.deepEqual([found.pause?.until, found.incident?.id], [300_000, "account:claude/i1"]);
      const types = (await other.read(ACCOUNT, { after: 0, limit: 100 })).map(({ type }) => type);
      assert.equal(types.filter((type) => type === "GroundTold").length, 3);
      assert.equal(types.filter((type) => type === "IncidentOpened").length, 1);
      assert.equal((await other.lease(ACCOUNT))?.owner, null);
    },
  },
  {
    title:
      "R5 the same failure of runs in one repository, told by several processes and again after a crash, is one incident",
    async run(scene) {
      const { journal, store } = scene;
      const other = await store.open();
      const [here, there] = [resources(journal, scene), resources(other, scene)];
      const report = (by: SharedResources, run: string, same = "no registry") =>
        by.publish(REPOSITORY, { fact: broken(run, same), rules: RULES }, forEver);
      assert.equal((await report(here, "run_1")).pause, null);
      assert.equal((await report(there, "run_2", "no space")).pause, null);
      assert.equal((await report(there, "run_3")).pause, null);
      const news = await report(here, "run_4");
      assert.deepEqual(
        [news.incident?.id, news.pause?.until, news.pause?.about],
        [`${REPOSITORY}/i1`, 120_000, "place"],
      );
      await journal.close();
      assert.deepEqual(await report(there, "run_4"), news, "its teller was killed before it heard");
      const events = await other.read(REPOSITORY, { after: 0, limit: 100 });
      assert.equal(events.filter(({ type }) => type === "GroundTold").length, 4);
      const opened = events.flatMap((event) => (event.type === "IncidentOpened" ? event.data.members : []));
      assert.deepEqual(opened, ["run_1/place", "run_3/place", "run_4/place"]);
      assert.deepEqual(await other.verify(), []);
    },
  },
];
