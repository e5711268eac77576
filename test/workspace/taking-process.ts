// Takes a commit into the project's branch: taking-process.ts HOME PROJECT COMMIT [BRANCH]. HOLDFAST_CRASH_AT reaches inside.
import { crashOptionsFrom, realWorld } from "../../src/real-world.ts";
import { gitWorkspace } from "../../src/workspace/git-workspace.ts";
import { author } from "./workspace-life.ts";

const [home = "", project = "", commit = "", work] = process.argv.slice(2);
const workspace = gitWorkspace({ home, world: realWorld(crashOptionsFrom(process.env)) });
const order = { key: "killed", project, commit, message: "merge\n", author, atMs: 1_000 };
await workspace.takeIn(work === undefined ? order : { ...order, work });
await workspace.close();
