import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { keepStory, playedSeeds, readChapters, RECORD, seedsOf, seedsText } from "./kept-stories.ts";
import { storiesDocument } from "./story-counts.ts";

const story = (seed: number, commit = "c1") => ({
  ...{ seed, commit, kind: "plain", acts: ["user commit", "agent write"] },
  ...{ kills: ["commit workspace.commit.made"], pauses: ["takeIn workspace.take-in.kept"] },
  ends: ["accept taken: main"],
});

test("W11 stories of made repositories are counted in a record, from which a play goes on; what was lost stays in it", (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-kept-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "record.json");
  for (const seed of [3, 1, 2, 2, 7]) keepStory(file, story(seed));
  keepStory(file, { seed: 9, commit: "c1", lost: "a file of the user" });
  keepStory(file, { seed: 8, commit: "c1", lost: "a ref of the user" });
  assert.deepEqual([...playedSeeds(readChapters(file))].toSorted(), [1, 2, 3, 7]);
  keepStory(file, story(9, "c2"));
  const chapters = readChapters(file);
  assert.deepEqual([...playedSeeds(chapters)].toSorted(), [1, 2, 3, 7, 9]);
  assert.deepEqual(
    chapters.map(({ commit, seeds, lost, kinds, ends }) => [commit, seeds, lost, kinds, ends]),
    [
      [
        "c1",
        "1-3, 7",
        { 8: "a ref of the user", 9: "a file of the user" },
        { plain: 4 },
        { "accept taken": 4 },
      ],
      ["c2", "9", {}, { plain: 1 }, { "accept taken": 1 }],
    ],
  );
  const page = storiesDocument(chapters);
  assert.match(page, /^\| 7 \| 5 \| 1 \| 5 \| 5 \| 5 \| 5 \| 2 of \d+ \|$/m);
  assert.match(page, /^\| `c1` \| 6 \| 8, 9 \| 1-3, 7 \|$/m);
  assert.match(page, /^Seeds that lost nothing when last played: 1-3, 7, 9\.$/m);
});

test("seeds are written as ranges and read again", () => {
  assert.equal(seedsText([5, 1, 2, 3, 9, 8]), "1-3, 5, 8-9");
  assert.deepEqual(seedsOf("1-3, 5, 8-9"), [1, 2, 3, 5, 8, 9]);
  assert.deepEqual(seedsOf(""), []);
});

test("W11 no story of the record has lost anything when it was last played", () => {
  const chapters = readChapters(RECORD);
  const played = playedSeeds(chapters);
  const lost = chapters.flatMap((one) => Object.keys(one.lost).map(Number));
  assert.deepEqual(
    lost.filter((seed) => !played.has(seed)),
    [],
  );
});
