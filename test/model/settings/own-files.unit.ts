import assert from "node:assert/strict";
import { test } from "node:test";
import { isOwnPath, isTasksFile, peoplesPart, TASKS_MARK } from "../../../src/model/settings/own-files.ts";
import { EMPTY_FILE, sectionOf, withSection } from "../../../src/notify/file-mirrors.ts";

const TASK = {
  id: "esc_1",
  title: "look at it",
  detail: "",
  reason: "needs_human",
  owner: "human",
  command: null,
  since: 0,
};

test("G4 Holdfast's own files are known by name in every folder, and nothing that only looks like them is", () => {
  const own = [
    ".holdfast/status/r.json",
    ".holdfast/status",
    ".holdfast/status/.r.json.lock.lock_1.draft",
    ".HUMAN_TASKS.md.lock",
    ".HUMAN_TASKS.md.draft",
    ".HUMAN_TASKS.md.lock.lock_abc.draft",
    ".HUMAN_TASKS.md.lock.lock_abc.lock_def.draft",
    "packages/one/.HUMAN_TASKS.md.lock",
    "packages/one/.holdfast/status/r.json",
    ".holdfast-restore-w_1",
    "src/.holdfast-undo-0123456789ab",
  ];
  const others = [
    "HUMAN_TASKS.md",
    ".holdfast/flows/release.yaml",
    ".holdfast/statuses/x",
    "holdfast/status/x",
    "a.HUMAN_TASKS.md.lock",
    ".HUMAN_TASKS.md.locked",
    ".HUMAN_TASKS.md.lock/inside",
    "x.holdfast-restore-1",
    "status/r.json",
  ];
  assert.deepEqual(
    own.filter((path) => !isOwnPath(path)),
    [],
  );
  assert.deepEqual(others.filter(isOwnPath), []);
  assert.ok(isTasksFile("HUMAN_TASKS.md") && isTasksFile("a/HUMAN_TASKS.md"));
  assert.ok(!isTasksFile("MY_HUMAN_TASKS.md"));
});

test("G4 a tasks file that Holdfast has made is its own; in one of people only the sections are", () => {
  const made = withSection(EMPTY_FILE, "r", sectionOf("r", [TASK]));
  assert.ok(made.startsWith(TASKS_MARK));
  assert.equal(peoplesPart(made), null);
  const people = "# Ours\n\n- buy milk\n";
  const both = withSection(
    withSection(people, "r", sectionOf("r", [TASK])),
    "s--2",
    sectionOf("s--2", [TASK]),
  );
  assert.notEqual(both, people);
  assert.equal(peoplesPart(both), people);
  assert.equal(peoplesPart(people), people);
});

test("G4 a mark without its end hides nothing below it, and a file full of marks is read in linear time", () => {
  const [begin = ""] = sectionOf("r", [TASK]).split("\n");
  assert.equal(peoplesPart(`a\n${begin}\nb\n`), "a\nb\n");
  const marks = `${begin}\nx\n`.repeat(100_000);
  assert.equal(peoplesPart(marks), "x\n".repeat(100_000));
});
