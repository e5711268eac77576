import { z } from "zod";
import { count, ms, section } from "./setting-kinds.ts";

/** Where a run works and what becomes of its files. */
export const workspaceSettings = {
  checkpoints: section({
    when: z
      .enum(["auto", "always", "never"])
      .default("auto")
      .describe(
        "whether checkpoints are taken by themselves; auto: `holdfast run` takes them in a git repository",
      ),
    everyMs: ms(600_000, "a checkpoint is taken so often while agents work"),
    keep: count(5, 10_000, "checkpoints that are kept of a run that has ended; of one that lives all are"),
    noteChars: count(8_000, 16_000, "characters of the note that an agent leaves of where it stands"),
  }),
  workspace: section({
    isolation: z
      .enum(["auto", "none", "run", "attempt"])
      .default("auto")
      .describe(
        "run: each run works in a git worktree of its own, on its own branch, outside of your tree; attempt: and each of its steps that write in one beside it, so that they can work at the same time; none: in your folder itself; auto: `holdfast run` chooses run in a git repository that has a commit, else none",
      ),
    uncommitted: z
      .enum(["carry", "leave"])
      .optional()
      .describe(
        "what you have changed and not committed: carry copies it into the run's worktree, where it is no work of the agents; leave starts from the commit alone; `holdfast run` takes carry where nothing is said",
      ),
    carry: z
      .array(z.string().min(1).max(400))
      .max(100)
      .optional()
      .describe(
        "paths that git ignores and that are copied into a worktree, such as node_modules or .env; where nothing is said, installed packages (node_modules, .venv, venv) are",
      ),
    lock: z
      .enum(["auto", "always", "never"])
      .default("auto")
      .describe(
        "whether other runs wait while one works in a tree; auto: `holdfast run` locks in a git repository",
      ),
    remote: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe(
        "a bare git repository that every host reaches (https://…, ssh://…, file://… or a path): the files of runs are copied there at each checkpoint, so that another host can go on with them",
      ),
    folder: z.string().min(1).optional().describe("where worktrees stand, instead of the state folder"),
    branch: z
      .string()
      .min(1)
      .max(200)
      .default("holdfast/{run}")
      .describe("the name of a worktree's branch; {run} is the run's id"),
    ports: section({
      from: z.number().int().min(1_024).max(65_000).default(20_000).describe("the first port handed out"),
      count: count(10, 1_000, "ports of each worktree"),
    }),
    setup: z.string().min(1).optional().describe("a shell command, run there before the work"),
    run: z.string().min(1).optional().describe("a shell command, run there before each attempt"),
    teardown: z.string().min(1).optional().describe("a shell command, run there after the work"),
    commandMs: ms(15 * 60_000, "time one of these commands may take"),
    cleanup: z
      .enum(["accepted", "ended", "never"])
      .default("accepted")
      .describe(
        "when a worktree is removed: once its work was accepted, when the run has ended, or never; its branch stays",
      ),
  }),
  drift: section({
    when: z
      .enum(["auto", "always", "never"])
      .default("auto")
      .describe("whether it is watched where HEAD stands; auto: `holdfast run` does in a git repository"),
    everyMs: ms(60_000, "it is looked at so often while agents work"),
    forward: z
      .enum(["go_on", "ask"])
      .default("go_on")
      .describe("what becomes of commits that somebody puts on top: taken as they are, or a person is asked"),
  }),
  protected: section({
    usual: z
      .boolean()
      .optional()
      .describe(
        "protect what agents and git execute or obey; `holdfast run` takes true where nothing is said",
      ),
    paths: z
      .array(z.string().min(1).max(400))
      .max(200)
      .default([])
      .describe("further protected paths, such as gates/** or prompts/*.md; a leading ! excludes"),
    everyMs: ms(300_000, "protected files are checked so often while agents work"),
    times: count(5, 1_000, "so many checks may find changed files before a person is asked"),
  }),
  outputs: section({
    fileBytesMax: count(16_777_216, 1_073_741_824, "bytes of one file that a step declares as its output"),
  }),
};
