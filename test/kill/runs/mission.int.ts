import { test } from "node:test";
import { strikeBoundaries } from "../strike-boundaries.ts";
import { missionEndViolations } from "./mission-end.ts";

test("G15 J4 whoever coordinates a mission over five repositories may be killed at any boundary: the end is that of an undisturbed one", (t) =>
  strikeBoundaries(t, {
    program: "runs/mission.ts",
    watched: /^mission\./,
    telling: [
      "mission.append.before",
      "mission.append.after",
      "mission.branch.before",
      "mission.branch.after",
      "mission.create.before",
      "mission.create.after",
      "mission.ask.before",
      "mission.ask.after",
    ],
    atOnce: 2,
    violations: missionEndViolations,
  }));
