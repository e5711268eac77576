import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, test } from "node:test";
import { BRANCH } from "./acts.ts";
import { BOUNDARIES } from "./crash-boundaries.ts";
import { OrderGiver } from "./order-giver.ts";
import { liveThrough } from "./repository-story.ts";
import type { Spoiler } from "./story-orders.ts";

/** A few kinds; `npm run chaos:repositories` lives through all of them, many times. */
const SEEDS = [2, 8, 12, 3010];
const giver = new OrderGiver();
after(() => giver.close());

for (const seed of SEEDS)
  test(`W1 W5 W11 in a made repository (${String(seed)}) agents and people work at once, processes are killed, and nothing of either is lost`, async () => {
    await liveThrough(seed, giver);
  });

const at =
  (moment: string, destroy: Spoiler): Spoiler =>
  (now, story) => {
    if (now === moment) destroy(now, story);
  };

/** Each destroys one thing, which the story must miss. */
const LOSSES: Readonly<Record<string, readonly [Spoiler, RegExp]>> = {
  "a file of the user": [
    at("taken", (_, { project }) => {
      rmSync(path.join(project, "d1"), { recursive: true, force: true });
    }),
    /file d1/,
  ],
  "bytes of a file of the user": [
    at("taken", (_, { project }) => {
      writeFileSync(path.join(project, "d2/f2"), "others\n");
    }),
    /file d2\/f2/,
  ],
  "a ref of the user": [
    at("taken", (_, { git }) => {
      git("update-ref", "refs/heads/beside", "HEAD~1");
    }),
    /ref refs\/heads\/beside/,
  ],
  "what the user has staged": [
    at("taken", (_, { git }) => {
      git("update-index", "--force-remove", "d3/f3");
    }),
    /index d3\/f3/,
  ],
  "the stash": [at("taken", (_, { git }) => void git("stash", "drop", "-q")), /stash/],
  "the configuration": [at("taken", (_, { git }) => void git("config", "user.name", "other")), /git config/],
  "what was kept": [
    at("accepted", (_, { home }) => {
      for (const name of readdirSync(home, { recursive: true, encoding: "utf8" }))
        if (/objects\/([0-9a-f]{2}|pack)$/.test(name)) rmSync(path.join(home, name), { recursive: true });
    }),
    /there is no whole snapshot|did not come back/,
  ],
  "what was committed": [
    at("removed", (_, { git }) => {
      const held = git("for-each-ref", "--format=%(refname)", "refs/holdfast", `refs/heads/${BRANCH}`);
      for (const ref of held.trim().split("\n")) git("update-ref", "-d", ref);
    }),
    /was committed, and no ref holds it/,
  ],
  "a file of a tree that was made again": [
    at("remade", (_, { tree }) => {
      rmSync(path.join(tree, "program"));
    }),
    /a tree that was made again differs: "program"/,
  ],
  "what an acceptance has replaced": [
    at("taken", (_, { git }) => {
      git("update-ref", "-d", `refs/holdfast/carried/${BRANCH}`);
    }),
    /cat-file blob/,
  ],
  "a merge under way": [
    at("merging", (_, { tree }) => {
      rmSync(
        path.join(
          readFileSync(path.join(tree, ".git"), "utf8").slice("gitdir: ".length).trim(),
          "MERGE_HEAD",
        ),
      );
    }),
    /rev-parse MERGE_HEAD/,
  ],
  "a ref in place": [
    at("brought", (_, { git }) => void git("update-ref", "-d", "refs/heads/beside")),
    /the repository did not come back: .*beside/,
  ],
  "a file that was kept in place": [
    at("restored", (_, { project }) => {
      rmSync(path.join(project, "program"));
    }),
    /what was kept did not come back: .*program/,
  ],
};

/** Stories that come to the moment at which something is destroyed; all others are told by the first one. */
const TAKEN_SEED = 5;
const SEED_FOR: Readonly<Record<string, number>> = {
  "what was committed": 8,
  "a ref in place": 12,
  "a file that was kept in place": 12,
  "a file of a tree that was made again": 2003,
  "what an acceptance has replaced": 2027,
  "a merge under way": 3010,
};

for (const [what, [spoil, expected]] of Object.entries(LOSSES))
  test(`W11 a made repository that loses ${what} is noticed`, async () => {
    await assert.rejects(liveThrough(SEED_FOR[what] ?? TAKEN_SEED, giver, spoil), expected);
  });

test("W11 every boundary of a workspace is in the list of those that stories kill at, or is named here", () => {
  const folder = path.join(import.meta.dirname, "../../../src/workspace");
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const found = sources.flatMap((file) =>
    [...readFileSync(path.join(folder, file), "utf8").matchAll(/crashPoint\("(workspace\.[a-z.-]+)"\)/g)].map(
      ([, name]) => name,
    ),
  );
  const listed = new Set<string | undefined>(Object.values(BOUNDARIES).flat());
  // Those of the last two are struck in test/workspace/remote/.
  const elsewhere = /^workspace\.(seal|proposal|copy|apply|upload|download)\./;
  assert.deepEqual(
    found.filter((name) => !listed.has(name) && !elsewhere.test(name ?? "")),
    [],
  );
});
