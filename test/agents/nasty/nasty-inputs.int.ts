import { test } from "node:test";
import { playCommands } from "./nasty-commands.ts";
import { playSessions, playTalks } from "./play-inputs.ts";

test("A1 A3 nasty strings as task, folder, session, model and environment reach every headless agent as they are, and run nothing", () =>
  playSessions(14));

test("A8 nasty strings told to an agent through its keeper arrive as they are, and run nothing", () =>
  playTalks(60));

test("A9 P4 nasty strings as goal, run, agent, note and words to an agent on the command line run nothing", () =>
  playCommands(1));
