// Makes a git directory of an attempt's own, or brings over what was committed there: fetching-process.ts prepare|fetch
// TREE FOLDER VEILS. HOLDFAST_CRASH_AT reaches inside.
import { worldHere } from "../../src/real-world.ts";
import { fetchPrivateGit, preparePrivateGit } from "../../src/workspace/git/private-git.ts";

const [act, tree = "", folder = "", shadows = ""] = process.argv.slice(2);
const world = worldHere();
if (act === "prepare") await preparePrivateGit({ tree, folder, shadows, world });
else await fetchPrivateGit({ folder, shadows, world });
