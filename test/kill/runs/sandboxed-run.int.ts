import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { realWorld } from "../../../src/real-world.ts";
import { noSandbox } from "../../agents/sandbox/sandbox-stage.ts";
import { SANDBOXED_RUN } from "./sandboxed-run.ts";
import { count, strikeBoundaries, wrong } from "../strike-boundaries.ts";

const linesOf = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];

/** Processes whose command line or folder is in the folder of a life that is over. */
const left = (folder: string): string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(folder);
      } catch {
        return false;
      }
    });

async function violations(folder: string): Promise<string[]> {
  const tree = join(folder, "tree");
  const journal = await openSqliteJournal({ file: join(folder, "journal.db"), world: realWorld() });
  try {
    const events = await journal.read(SANDBOXED_RUN, { after: 0, limit: 1_000 });
    const began = linesOf(join(tree, "began"));
    const log = execFileSync("git", ["-C", tree, "log", "--format=%s"], { encoding: "utf8" });
    const charged = events.filter(({ type, data }) => type === "AttemptEnded" && data.charged).length;
    return [
      ...wrong("ends", count(events, "RunCompleted"), 1),
      ...wrong("attempts that began twice", began.length - new Set(began).size, 0),
      ...wrong("ended", linesOf(join(tree, "ended")).length > 0, true),
      ...wrong("commits taken over", log.split("\n").filter(Boolean), ["the work", "before"]),
      ...wrong("charged", charged, 0),
      ...wrong("processes left", left(folder), []),
      ...wrong("damage", await journal.verify(), []),
    ];
  } finally {
    await journal.close();
  }
}

test(
  "J4 P6 a supervisor killed around an agent in a sandbox loses and repeats nothing: the agent is adopted, or what it committed is taken over once",
  { skip: noSandbox },
  (t) =>
    strikeBoundaries(t, {
      program: "runs/sandboxed-run.ts",
      watched: /^(effect\.StartAgent|session|sandbox|journal\.append)\./,
      telling: ["effect.StartAgent.after", "session.spawn.after", "sandbox.git.objects", "sandbox.git.moved"],
      atOnce: 2,
      violations,
    }),
);
