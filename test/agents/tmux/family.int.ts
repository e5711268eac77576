import { test } from "node:test";
import { agentsTier } from "../agents-tier.ts";
import { noTmux } from "../contract/tmux-subject.ts";
import {
  answersDescribed,
  ASKING,
  asksPerson,
  learnsAfterDeath,
  deliversOnce,
  refusesInDialog,
  WITH_PROMPT,
} from "./family.ts";

/** These always; the others where there is time, and all of them by `npm run chaos:terminals`. */
const ALWAYS: ReadonlySet<string> = new Set(["boxed", "colon", "pointer", "yesNo"]);
const skipOf = (name: string): string | false => noTmux || (!ALWAYS.has(name) && agentsTier);

for (const name of WITH_PROMPT)
  test(
    `B3 A8 a program that nobody described (${name}) is given its task exactly once`,
    { skip: skipOf(name) },
    () => deliversOnce(name),
  );

for (const name of ASKING)
  test(
    `B3 A8 a program that nobody described and that asks (${name}) is typed nothing, and a person is asked`,
    { skip: skipOf(name) },
    () => asksPerson(name),
  );

test(
  "B3 A9 a message for a program in a dialog is refused at once, and no policy answers a dialog that nobody described",
  { skip: noTmux },
  () => refusesInDialog(),
);

test(
  "B3 A9 a dialog that is described is a request for permission, and is answered with the keys named for it",
  { skip: noTmux },
  () => answersDescribed(),
);

for (const point of ["tmux.learn.before", "tmux.learn.after"])
  test(
    `B3 A2 a prompt is learned by the next supervisor, and the task given once, after a death at ${point}`,
    { skip: noTmux || (point === "tmux.learn.before" && agentsTier) },
    () => learnsAfterDeath(point),
  );
