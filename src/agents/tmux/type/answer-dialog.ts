import type { PermissionAnswer, SendOutcome } from "../../agent-driver.ts";
import { readSaid, writeSaid } from "./said-record.ts";
import { awaitLook, failed, lookNow, pressKeys } from "./speak.ts";
import type { Speaking } from "./speaking.ts";

const TAKEN_WAIT_MS = 5_000;

/** Chooses in a permission dialog by the program's own keys, if exactly that dialog is still open. */
export async function answerDialog(speaking: Speaking, answer: PermissionAnswer): Promise<SendOutcome> {
  const { world, terminal, program } = speaking;
  const before = readSaid(terminal, answer.key);
  if (before?.state === "sent") return { kind: "sent", detail: before.detail };
  const look = await lookNow(speaking);
  if (look === undefined) return failed("its terminal could not be seen");
  const { dialog } = look;
  if (dialog?.kind !== "permission" || dialog.askId !== answer.askId)
    return failed("the dialog that asked is not open any more");
  const { allowLine, denyLine } = program.keys;
  const { allow, deny } = dialog.keys ?? program.keys;
  const digit = (answer.allow ? allowLine : denyLine).exec(dialog.text)?.[1];
  const keys = (answer.allow ? allow : deny).map((key) => (key === "{digit}" ? digit : key));
  if (keys.length === 0 || keys.includes(undefined)) return failed("the dialog does not offer that answer");
  world.crashPoint("tmux.answer.before");
  if (
    !(await pressKeys(
      speaking,
      keys.filter((key) => key !== undefined),
    ))
  )
    return failed("tmux did not take the keys");
  const gone = await awaitLook(speaking, (now) => now.dialog?.askId !== answer.askId, TAKEN_WAIT_MS);
  if (gone === undefined) return failed("the dialog did not take the answer");
  const detail = `the dialog was answered with ${answer.allow ? "yes" : "no"}`;
  writeSaid(world, terminal, answer.key, { state: "sent", raw: 0, at: world.now(), detail });
  return { kind: "sent", detail };
}

/** Breaks off what the program does; where it asks something, that is what would be broken off, so it is left alone. */
export async function interruptProgram(speaking: Speaking): Promise<SendOutcome> {
  const look = await lookNow(speaking);
  if (look === undefined) return failed("its terminal could not be seen");
  if (look.state === "dialog") return failed("a dialog is open");
  if (look.state === "idle" && speaking.program.voice === "screen")
    return { kind: "sent", detail: "it was idle already" };
  if (!(await pressKeys(speaking, speaking.program.keys.interrupt)))
    return failed("tmux did not take the keys");
  const rests = await awaitLook(speaking, ({ state }) => state !== "busy", TAKEN_WAIT_MS);
  return rests === undefined ? failed("the program goes on") : { kind: "sent", detail: "it was interrupted" };
}
