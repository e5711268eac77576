import type { World } from "../../../model/world.ts";
import type { SendOutcome } from "../../agent-driver.ts";
import { pause } from "../../pause.ts";
import { lookAtOne } from "../screen/look-at-panes.ts";
import { drawnSince, endsInText, prepare, type Prepared } from "./prepare-text.ts";
import { endOf, showsEnd } from "../screen/plain-text.ts";
import { hasNoPrompt, type Program } from "../programs/program.ts";
import { recognise, type Look } from "../screen/recognise.ts";
import { readSaid, writeSaid, type SaidRecord } from "./said-record.ts";
import type { Speaking } from "./speaking.ts";
import { textDigest } from "../../to-signal.ts";
import { sizeOf } from "../terminal-folder.ts";
import { targetOf, type TmuxAnswer } from "../tmux-client.ts";

const POLL_MS = 60;
const IDLE_WAIT_MS = 10_000;
const ARRIVAL_WAIT_MS = 8_000;
const ENTER_WAIT_MS = 3_000;
/** A starved program that redraws a long conversation takes its time; after the last Enter it is only watched. */
const LAST_ENTER_WAIT_MS = 30_000;
const ENTERS_MAX = 2;
const STILL_MS = 150;
/** A program at work is never still. */
const STILL_WAIT_MS = 1_000;
/** A plain program may echo nothing; it is not waited for long. */
const ECHO_WAIT_MS = 800;
const PROBE_CHARS = 24;

/**
 * Types a text and sends it off, at most once under one key.
 *
 * 1. It is typed only where the program is seen to wait for text, or to queue it, and never into a dialog.
 * 2. Enter is pressed only when the text was seen to arrive and no dialog has opened meanwhile; once more if it was
 *    seen not to be taken.
 * 3. Before each step it is written down, so that after a death it is known what may have happened (I2).
 */
export async function speak(speaking: Speaking, key: string, text: string): Promise<SendOutcome> {
  const { terminal } = speaking;
  const before = readSaid(terminal, key);
  if (before?.state === "sent") return sent(before.detail);
  if (before?.state === "lost") return failed(before.detail);
  if (before !== undefined) {
    const outcome = await goOn(speaking, key, text);
    if (outcome !== "not typed") return outcome;
  }
  // A choice is not waited for, and neither is a prompt that nobody knows: who sent the text is informed at once.
  const settled = (look: Look): boolean => look.state === "dialog" || mayType(speaking.program, look);
  const waitMs = hasNoPrompt(speaking.program) ? 0 : IDLE_WAIT_MS;
  const ready = await awaitLook(speaking, settled, waitMs);
  if (ready === undefined || ready.state === "dialog") return failed(await whyNot(speaking));
  const prepared = prepare(speaking, text);
  if ("problem" in prepared) return failed(prepared.problem);
  const typed = await type(speaking, key, prepared.text);
  return typed ?? pressEnter(speaking, key, prepared);
}

/**
 * After a death on the way: from the last step that is proved. A text in the line of input may make a program look like
 * anything but one that waits for text, so that is not asked for here.
 */
async function goOn(speaking: Speaking, key: string, text: string): Promise<SendOutcome | "not typed"> {
  const prepared = prepare(speaking, text);
  if ("problem" in prepared) return failed(prepared.problem);
  switch (await whatIsThere(speaking, key, prepared.text)) {
    case "nothing":
      return "not typed";
    case "typed":
      return pressEnter(speaking, key, prepared);
    case "taken":
      return finish(speaking, key, `seen to have been taken${prepared.note}`);
    case "hidden":
      return failed(await whyNot(speaking));
    case "doubt":
      return lose(speaking, key, "whether it arrived is not known: its speaker died");
  }
}

const mayType = (program: Program, { state, input }: Look): boolean =>
  state === "idle" || (state === "busy" && program.queues && input !== undefined);

/**
 * After a death between the typing and the record of its end. tmux itself is the witness: it does a command and the note
 * of it in one go, and keeps the note as long as the terminal is there.
 */
async function whatIsThere(
  speaking: Speaking,
  key: string,
  text: string,
): Promise<"nothing" | "typed" | "taken" | "hidden" | "doubt"> {
  const { tmux, terminal, program } = speaking;
  const notes = `#{${NOTE_TYPED}} #{${NOTE_ENTERED}}`;
  const answer = await tmux.run(["display-message", "-p", "-t", targetOf(terminal.session), notes]);
  if (answer.kind !== "done") return "doubt";
  const [typed, entered] = answer.out.trimEnd().split(" ");
  if (typed !== textDigest(key)) return "nothing";
  // A program that prints keeps its line until Enter, whether it shows it or not.
  if (program.voice === "lines") return entered === typed ? "taken" : "typed";
  const look = await lookNow(speaking);
  if (look === undefined || look.state === "dialog") return "hidden";
  if (entered === typed) return look.input !== "" && look.input !== undefined ? "typed" : "taken";
  // What nobody sees may have been sent off or cleared by a person: Enter would be a guess.
  return (await awaitText(speaking, text)) ? "typed" : "doubt";
}

async function awaitText({ world, tmux, terminal, program }: Speaking, text: string): Promise<boolean> {
  const untilMs = world.now() + ENTER_WAIT_MS;
  for (;;) {
    const lines = (await lookAtOne(tmux, terminal.session))?.lines ?? [];
    if (showsText(program, lines.join("\n"), text)) return true;
    if (world.now() >= untilMs) return false;
    await pause(world, POLL_MS * 2);
  }
}

const NOTE_TYPED = "@holdfast_typed";
const NOTE_ENTERED = "@holdfast_entered";
const noteOf = ({ terminal }: Speaking, note: string, key: string): readonly string[] => [
  ...[";", "set-option", "-t", targetOf(terminal.session), note, textDigest(key)],
];

async function type(speaking: Speaking, key: string, text: string): Promise<SendOutcome | undefined> {
  const { world, terminal, program } = speaking;
  if (!(await pressKeys(speaking, program.keys.clear))) return failed("tmux did not take the keys");
  const raw = sizeOf(terminal.raw);
  writeSaid(world, terminal, key, { state: "typing", raw, at: world.now(), detail: "" });
  world.crashPoint("tmux.type.before");
  const pasted = await paste(speaking, key, text);
  world.crashPoint("tmux.type.after");
  if (pasted.kind !== "done") return failed(`the text was not typed: ${pasted.text}`);
  if (pasted.out.includes(PANE_DEAD)) return failed("the text was not typed: the program has ended");
  const arrived = await awaitTrue(
    world,
    () => showsText(program, drawnSince(terminal, raw), text),
    program.voice === "screen" ? ARRIVAL_WAIT_MS : ECHO_WAIT_MS,
  );
  if (!arrived && program.voice === "screen")
    return lose(speaking, key, "the text was typed and not seen to arrive");
  writeSaid(world, terminal, key, { state: "typed", raw, at: world.now(), detail: arrived ? "" : "unseen" });
  return undefined;
}

const PANE_DEAD = "holdfast-pane-dead";

/**
 * tmux 3.3 dies, with every terminal it holds, of a text that is pasted where the program has ended; so it looks first,
 * and does both in one go. All words of these commands are ours, so that tmux expands nothing of others.
 */
function paste(speaking: Speaking, key: string, text: string): Promise<TmuxAnswer> {
  const { world, tmux, terminal } = speaking;
  const buffer = `hf-${world.id("b").replaceAll(/[^a-z0-9]/gi, "")}`;
  const target = targetOf(terminal.session);
  const typed = [
    "paste-buffer",
    "-p",
    "-d",
    "-b",
    buffer,
    "-t",
    target,
    ...noteOf(speaking, NOTE_TYPED, key),
  ];
  const refused = ["delete-buffer", "-b", buffer, ";", "display-message", "-p", PANE_DEAD];
  return tmux.run(
    [
      ...["load-buffer", "-b", buffer, "-", ";"],
      ...["if-shell", "-F", "-t", target, "#{pane_dead}", refused.join(" "), typed.join(" ")],
    ],
    { stdin: text },
  );
}

async function pressEnter(speaking: Speaking, key: string, { text, note }: Prepared): Promise<SendOutcome> {
  const { world, terminal, program } = speaking;
  const echoes = readSaid(terminal, key)?.detail !== "unseen";
  if (program.voice === "screen") await awaitStill(speaking);
  for (let presses = 1; presses <= ENTERS_MAX; presses += 1) {
    const waitMs = presses < ENTERS_MAX ? ENTER_WAIT_MS : LAST_ENTER_WAIT_MS;
    const screen = await awaitLook(speaking, ({ state }) => state !== "starting", ENTER_WAIT_MS);
    if (screen?.state === "dialog" && !(await endsInText(speaking, text)))
      return failed("a dialog opened before the text was sent off");
    const raw = sizeOf(terminal.raw);
    world.crashPoint("tmux.enter.before");
    if (!(await pressKeys(speaking, ["Enter", ...noteOf(speaking, NOTE_ENTERED, key)])))
      return failed("tmux did not take the Enter");
    world.crashPoint("tmux.enter.after");
    const taken =
      program.voice === "screen"
        ? (await awaitLook(speaking, wasTaken, waitMs)) !== undefined
        : (await awaitTrue(world, () => sizeOf(terminal.raw) > raw, echoes ? waitMs : ENTER_WAIT_MS)) ||
          !echoes;
    if (taken) return finish(speaking, key, `${echoes ? "seen to be taken" : UNSEEN}${note}`);
  }
  return lose(speaking, key, "the text was typed, and Enter was not taken");
}

const UNSEEN = "typed at its prompt; the program shows nothing of it, so it was not seen to be taken";

/** A program may answer a text with a dialog; it is given a moment to, so that Enter does not fall into it. */
async function awaitStill({ world, terminal }: Speaking): Promise<void> {
  let [size, since] = [sizeOf(terminal.raw), world.now()];
  const untilMs = since + STILL_WAIT_MS;
  while (world.now() - since < STILL_MS && world.now() < untilMs) {
    await pause(world, POLL_MS / 2);
    if (sizeOf(terminal.raw) !== size) [size, since] = [sizeOf(terminal.raw), world.now()];
  }
}

const wasTaken = ({ state, input }: Look): boolean =>
  state === "dialog" || input === "" || (state === "busy" && input === undefined);

/** The end of the text is there, however it was wrapped, or what stands for a long one. */
function showsText(program: Program, plain: string, text: string): boolean {
  return showsEnd(plain, endOf(text, PROBE_CHARS)) || program.pastedMark.test(plain);
}

function finish(speaking: Speaking, key: string, detail: string): SendOutcome {
  keep(speaking, key, "sent", detail);
  return sent(detail);
}

function lose(speaking: Speaking, key: string, detail: string): SendOutcome {
  keep(speaking, key, "lost", detail);
  return failed(detail);
}

function keep({ world, terminal }: Speaking, key: string, state: SaidRecord["state"], detail: string): void {
  const raw = readSaid(terminal, key)?.raw ?? 0;
  writeSaid(world, terminal, key, { state, raw, at: world.now(), detail });
}

export async function pressKeys({ tmux, terminal }: Speaking, keys: readonly string[]): Promise<boolean> {
  const answer = await tmux.run(["send-keys", "-t", targetOf(terminal.session), ...keys]);
  return answer.kind === "done";
}

export async function lookNow({ tmux, terminal, program }: Speaking): Promise<Look | undefined> {
  const screen = await lookAtOne(tmux, terminal.session);
  return screen && recognise(program, screen);
}

export async function awaitLook(
  speaking: Speaking,
  wanted: (look: Look) => boolean,
  limitMs: number,
): Promise<Look | undefined> {
  const untilMs = speaking.world.now() + limitMs;
  for (;;) {
    const look = await lookNow(speaking);
    if (look !== undefined && wanted(look)) return look;
    if (speaking.world.now() >= untilMs) return undefined;
    await pause(speaking.world, POLL_MS * 2);
  }
}

async function awaitTrue(world: World, look: () => boolean, limitMs: number): Promise<boolean> {
  const untilMs = world.now() + limitMs;
  while (!look()) {
    if (world.now() >= untilMs) return false;
    await pause(world, POLL_MS);
  }
  return true;
}

async function whyNot(speaking: Speaking): Promise<string> {
  const look = await lookNow(speaking);
  if (look === undefined) return "its terminal could not be seen";
  if (look.dialog !== undefined) return `a dialog is open: ${look.dialog.text.slice(0, 200)}`;
  if (hasNoPrompt(speaking.program))
    return "nothing was typed: the program's prompt is not known; describe it with `prompt` in the agent's configuration";
  return `the program does not wait for text; it is ${look.state}`;
}

const sent = (detail: string): SendOutcome => ({ kind: "sent", detail });
export const failed = (text: string): SendOutcome => ({ kind: "failed", text, terminal: false });
