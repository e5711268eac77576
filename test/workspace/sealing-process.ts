import { crashOptionsFrom, realWorld } from "../../src/real-world.ts";
import { gitWorkspace } from "../../src/workspace/git-workspace.ts";
import type { OpenSealOrder } from "../../src/workspace/protect/seal-orders.ts";

/** Seals or opens a seal in a process of its own, which `HOLDFAST_CRASH_AT` ends at a point. */
const [home = "", act = "", order = ""] = process.argv.slice(2);
const workspace = gitWorkspace({ home, world: realWorld(crashOptionsFrom(process.env)) });
const asked = JSON.parse(order) as OpenSealOrder;
if (act === "seal") await workspace.seal(asked);
else await workspace.openSeal(asked);
await workspace.close();
