import { test } from "node:test";
import { restsToday } from "../day-sample.ts";
import { liveAndRestore } from "./tree-life.ts";

const TREES = 60;

test(
  "W2 W3 generated trees come back byte- and mode-equal from every snapshot, and the store stays clean",
  { skip: restsToday(1, 2, "npm run chaos:trees") },
  async () => {
    for (let seed = 1; seed <= TREES; seed += 1) await liveAndRestore(seed);
  },
);
