// Goes on with the move in the folder given; HOLDFAST_CRASH_AT reaches inside.
import { crashOptionsFrom, realWorld } from "../../../src/real-world.ts";
import { moveOn } from "./move-life.ts";

const [folder = ""] = process.argv.slice(2);
void moveOn(folder, realWorld(crashOptionsFrom(process.env)));
