import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Config } from "../../../src/model/settings/config.ts";
import { Life, MINUTE, REPOSITORY, SECOND } from "../life.ts";
import { prove, type Tree } from "../proof.ts";
import { freshRepository, git, livedWith, perform } from "../real.ts";

const commit = (more: Tree): Tree => ({ commit: { when: "step", ...more } });

/** A step that is done, in a repository: its commit, as it is to be made. */
const done = (config: Config): Life => new Life(config, { cwd: REPOSITORY }).end();
const subject = (config: Config): string | undefined =>
  done(config).effects("CommitWork")[0]?.message.split("\n")[0];

/** The same in a real one: what the repository has by then. */
async function committed(config: Config, ...shows: readonly string[]): Promise<string> {
  const cwd = freshRepository();
  const life = livedWith(config, ["TakeCheckpoint", "CommitWork"], { cwd, check: ["true"] });
  await perform(life);
  writeFileSync(path.join(cwd, "work.txt"), "done\n");
  life.end();
  await perform(life);
  return git(cwd, ...shows).replaceAll(life.state.run, "RUN");
}

/** The agent works for long, in a worktree. */
function commitsAtWork(config: Config): number | null {
  const life = new Life(config, { cwd: REPOSITORY });
  for (let nth = 0; nth < 120; nth += 1) life.say({ kind: "progress", text: "on it" }).pass(10 * SECOND);
  return life.effectAt("CommitWork");
}

const refusals = (config: Config): boolean => done(config).all("CommitRefused").length > 0;

export const COMMIT_PROOFS = [
  prove("commit.when", ["step", "asked"], (config) => done(config).effects("CommitWork").length, [1, 0]),
  prove(
    "commit.author",
    ["Ada <ada@example.org>", "Bob <bob@example.org>"],
    (config) => committed(config, "log", "-1", "--format=%an <%ae> %s"),
    ["Ada <ada@example.org> work: mend the tests", "Bob <bob@example.org> work: mend the tests"],
    commit({}),
  ),
  prove(
    "commit.signOff",
    [true, false],
    (config) => committed(config, "log", "-1", "--format=%(trailers:key=Signed-off-by)"),
    ["Signed-off-by: Ada <ada@example.org>", ""],
    commit({}),
  ),
  prove(
    "commit.subject",
    ["{goal} ({step})", "{run}"],
    subject,
    ["mend the tests (work)", "run_1"],
    commit({}),
  ),
  prove("commit.subjectMax", [10, 72], subject, ["work: men…", "work: mend the tests"], commit({})),
  prove(
    "commit.conventional",
    [true, false],
    subject,
    ["chore: mend the tests", "mend the tests"],
    commit({ subject: "{goal}" }),
  ),
  prove("commit.everyMs", [5 * MINUTE, 10 * MINUTE], commitsAtWork, [5 * MINUTE, 10 * MINUTE], {
    workspace: { isolation: "run" },
  }),
  prove("commit.featureBranch", [true, false], refusals, [true, false], commit({})),
  prove(
    "commit.mainBranches",
    [["main"], ["trunk"]],
    refusals,
    [true, false],
    commit({ featureBranch: true }),
  ),
  prove(
    "commit.goodTag",
    ["fine/{step}", ""],
    (config) => committed(config, "tag"),
    ["fine/work", ""],
    commit({}),
  ),
];
