import { join } from "node:path";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { realWorld } from "../../../src/real-world.ts";
import { missionViolations } from "../../../sim/mission/mission-violations.ts";
import { filesOn, git } from "../../cli/mission/made-repository.ts";
import { wrong } from "../strike-boundaries.ts";
import { MISSION, REPOSITORIES, WORK } from "./mission.ts";

/** What each repository holds at the end of an undisturbed mission. */
const wanted = (repository: string): string[] =>
  [
    "README.md",
    ...(repository === "web" ? ["mine.txt"] : []),
    ...WORK.filter((one) => one.repository === repository).map(({ file }) => file),
  ].sort();

/** What a life of the mission has left that an undisturbed one does not; nothing where they are equal. */
export async function missionEndViolations(folder: string): Promise<string[]> {
  const journal = await openSqliteJournal({ file: join(folder, "journal.db"), world: realWorld() });
  try {
    const { state, found } = await missionViolations(journal, MISSION);
    const tries = Object.fromEntries(
      Object.values(state.goals).map(({ goal, runs }) => [goal.id, runs.length]),
    );
    return [
      ...found,
      ...(state.end === null ? ["the mission has no end"] : []),
      ...wrong("tries of deploy", tries["deploy"], 2),
      ...wrong("tries of page", tries["page"], 1),
      ...REPOSITORIES.flatMap((name) => wrongRepository(join(folder, name), name)),
    ];
  } finally {
    await journal.close();
  }
}

const LINE = '{ "ready": true }';

/** Null where the branch does not hold the file. */
const textOn = (folder: string, file: string): string | null =>
  filesOn(folder).includes(file) ? git(folder, "show", `main:${file}`) : null;

function wrongRepository(folder: string, name: string): string[] {
  const lines = WORK.filter(({ repository }) => repository === name).map(({ file, lacks }) => ({
    ...{ file, lacks, text: textOn(folder, file) },
  }));
  return [
    ...wrong(`${name} holds`, filesOn(folder).sort(), wanted(name)),
    // Each line tells that a workstream was worked: no work is in it twice, but where a person let a run try again.
    ...lines.flatMap(({ file, text, lacks }) =>
      wrong(`${name}: ${file}`, text, [LINE, ...(lacks === true && name === "web" ? [LINE] : [])].join("\n")),
    ),
    ...wrong(`${name} is clean`, git(folder, "status", "--porcelain"), ""),
    ...wrong(`${name} is on`, git(folder, "branch", "--show-current"), "main"),
  ];
}
