/** Ends in a turn of the run "run_bad", in the way that is named. Usage: ends-in-turn.ts FOLDER HOW */
import { fileDeathNotes } from "../../src/file-death-notes.ts";
import { realWorld } from "../../src/real-world.ts";

const WAYS: Readonly<Record<string, () => void>> = {
  throws: () =>
    void setTimeout(() => {
      throw new Error("too late");
    }, 5),
  rejects: () => void Promise.reject(new Error("unheard")),
  exits: () => process.exit(0),
  aborts: () => process.abort(),
  "aborts-natively": () => notes.turn("run_bad", () => process.kill(process.pid, "SIGSEGV")),
  "is-killed-deciding": () => notes.turn("run_bad", () => process.kill(process.pid, "SIGKILL")),
  "is-aborted-between": () => void process.kill(process.pid, "SIGABRT"),
  "is-killed": () => void process.kill(process.pid, "SIGKILL"),
  "is-full": () =>
    void setTimeout(() => {
      throw Object.assign(new Error("no space"), { code: "ENOSPC" });
    }, 5),
};

const [, , folder = "", how = ""] = process.argv;
const notes = fileDeathNotes(realWorld(), folder);
notes.within("run_good", () => setTimeout(() => undefined, 50));
await notes.within("run_bad", async () => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  WAYS[how]?.();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
});
