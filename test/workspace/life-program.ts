// Lives on the life in the folder given; HOLDFAST_CRASH_AT and HOLDFAST_CRASH_TRACE reach inside.
import { crashOptionsFrom, realWorld } from "../../src/real-world.ts";
import { liveOn } from "./workspace-life.ts";

const [folder = ""] = process.argv.slice(2);
void liveOn(folder, realWorld(crashOptionsFrom(process.env)));
