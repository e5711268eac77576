import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Config } from "../../../src/model/settings/config.ts";
import { Life, PLACE, REPOSITORY, SECOND } from "../life.ts";
import { prove, type Tree } from "../proof.ts";
import { freshFolder, freshRepository, git, livedWith, perform, textOf } from "../real.ts";

const apart = (more: Tree): Tree => ({ workspace: { isolation: "run", ...more } });

/** A worktree of the run's own, made for real. */
async function placed(config: Config): Promise<Life> {
  const life = livedWith(config, ["CreateWorktree", "RunInTree"], { cwd: freshRepository() });
  await perform(life);
  return life;
}

const treeOf = ({ state }: Life): string => state.workspace.worktree?.tree ?? "";

/** The user's own files that are in the worktree too, although git does not hold them. */
async function carriedInto(config: Config): Promise<readonly string[]> {
  const cwd = freshRepository();
  for (const name of ["draft", "one", "two"]) writeFileSync(path.join(cwd, name), name);
  writeFileSync(path.join(cwd, ".git/info/exclude"), "one\ntwo\n");
  const life = livedWith(config, ["CreateWorktree", "CarryFiles"], { cwd });
  await perform(life);
  return ["draft", "one", "two"].filter((name) => existsSync(path.join(treeOf(life), name)));
}

/** What the commands of a place have written into its folder, after the run has come to its end. */
async function commandsRun(config: Config): Promise<string> {
  const cwd = freshFolder();
  const life = livedWith(config, ["RunInTree"], { cwd });
  await perform(life);
  life.end();
  await perform(life);
  return textOf(cwd, "log");
}

/** The ports that a worktree was given, as its commands see them. */
async function portsSeen(config: Config): Promise<readonly [first: number, last: number]> {
  const life = await placed(config);
  const [first = 0, last = 0] = textOf(treeOf(life), "ports").split(" ").map(Number);
  return [first, last];
}
const PORTS = 'echo "$HOLDFAST_PORT $HOLDFAST_PORT_LAST" > ports';

/** A place that is got ready for the first attempt. */
async function preparing(config: Config): Promise<Life> {
  const life = livedWith(config, ["RunInTree"], { cwd: freshFolder() });
  await perform(life);
  return life;
}

/** Whether the worktree of a run that has ended is still there. */
async function isLeft(config: Config): Promise<boolean> {
  const life = livedWith(config, ["CreateWorktree", "RemoveWorktree"], { cwd: freshRepository() });
  await perform(life);
  const tree = treeOf(life);
  life.end();
  await perform(life);
  return existsSync(tree);
}

export const WORKSPACE_PROOFS = [
  prove(
    "workspace.isolation",
    ["none", "run"],
    (config) => new Life(config, { cwd: REPOSITORY }).effects("StartAgent")[0]?.cwd === REPOSITORY,
    [true, false],
  ),
  prove("workspace.uncommitted", ["carry", "leave"], carriedInto, [["draft"], []], apart({})),
  prove(
    "workspace.carry",
    [["one"], ["two"]],
    carriedInto,
    [
      ["draft", "one"],
      ["draft", "two"],
    ],
    apart({}),
  ),
  prove(
    "workspace.lock",
    ["auto", "never"],
    (config) => new Life(config, { cwd: REPOSITORY }).effects("HoldTree").length,
    [1, 0],
  ),
  prove(
    "workspace.remote",
    ["/srv/one.git", "/srv/two.git"],
    (config) => {
      const home = { id: "host_1", name: "one" };
      return new Life(config, { cwd: REPOSITORY, home }).effects("UploadFiles")[0]?.remote;
    },
    ["/srv/one.git", "/srv/two.git"],
    apart({}),
  ),
  prove(
    "workspace.folder",
    [path.join(PLACE, "here"), path.join(PLACE, "there")],
    async (config) => path.relative(PLACE, treeOf(await placed(config))).split(path.sep)[0],
    ["here", "there"],
    apart({}),
  ),
  prove(
    "workspace.branch",
    ["work/{run}", "try/{run}"],
    async (config) => git(treeOf(await placed(config)), "branch", "--show-current").split("/")[0],
    ["work", "try"],
    apart({}),
  ),
  prove(
    "workspace.ports.from",
    [31_000, 32_000],
    // Others have worktrees too, and ports before these.
    async (config) => Math.floor((await portsSeen(config))[0] / 1_000),
    [31, 32],
    apart({ ports: { count: 1 }, setup: PORTS }),
  ),
  prove(
    "workspace.ports.count",
    [3, 7],
    async (config) => {
      const [first, last] = await portsSeen(config);
      return last - first + 1;
    },
    [3, 7],
    apart({ setup: PORTS }),
  ),
  prove("workspace.setup", ["echo one >> log", "echo two >> log"], commandsRun, ["one", "two"]),
  prove("workspace.run", ["echo one >> log", "echo two >> log"], commandsRun, ["one", "two"]),
  prove(
    "workspace.teardown",
    ["echo one >> log", "echo two >> log"],
    commandsRun,
    ["begun\none", "begun\ntwo"],
    {
      workspace: { setup: "echo begun >> log" },
    },
  ),
  prove(
    "workspace.commandMs",
    [50, 60 * SECOND],
    async (config) => (await preparing(config)).stands,
    ["blocked: dispatch_error", "running"],
    {
      workspace: { setup: "sleep 0.4" },
    },
  ),
  prove("workspace.cleanup", ["ended", "never"], isLeft, [false, true], apart({})),
];
