import { test } from "node:test";
import { restsToday } from "../../day-sample.ts";
import { strikeBoundaries } from "../strike-boundaries.ts";
import { missionEndViolations } from "./mission-end.ts";

test(
  "G15 J4 whoever coordinates a mission over five repositories may be killed at any boundary: the end is that of an undisturbed one",
  { skip: restsToday(0, 2, "npm run chaos:missions") },
  (t) =>
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
      // A life has eight runs in worktrees, each of which starts git a hundred times.
      limitMs: 600_000,
      violations: missionEndViolations,
    }),
);
