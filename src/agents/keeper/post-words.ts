import { closeSync, constants, existsSync, mkdirSync, openSync, writeSync } from "node:fs";
import path from "node:path";
import { errorText } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";
import { pause } from "../pause.ts";
import { textDigest } from "../to-signal.ts";
import { probeStarted } from "./probe-session.ts";
import { readIdentity, writeWhole, type SessionFolder } from "./session-folder.ts";

/** `never`: they did not arrive and will not. `unknown`: they may have arrived, or may yet. */
export type Delivery =
  | { readonly kind: "delivered" }
  | { readonly kind: "never"; readonly text: string }
  | { readonly kind: "unknown"; readonly text: string };

export interface Post {
  readonly world: World;
  readonly session: SessionFolder;
  /** Under one key words arrive at most once, no matter who sends them, before or after a crash. */
  readonly key: string;
  readonly text: string;
  readonly limitMs: number;
  /** Nobody waits for it any more. */
  readonly closed: () => boolean;
}

const POLL_MS = 10;
/** Whether the session is over is a dearer question. */
const PROBE_EACH = 20;

/**
 * Sends words to the agent of a session and waits until its courier has passed them on.
 *
 * 1. They stand in a file, whole, before anybody is informed of it: a sender killed on the way leaves nothing that
 *    could arrive in half. The file stays, and its name belongs to the key.
 * 2. The courier takes a name once; a sender that does not know whether it was delivered sends it again.
 */
export async function postWords(post: Post): Promise<Delivery> {
  const { world, session, key, text } = post;
  const file = path.join(session.words, textDigest(key));
  if (existsSync(`${file}.told`)) return DELIVERED;
  try {
    mkdirSync(session.words, { recursive: true, mode: 0o700 });
    world.crashPoint("session.words.before");
    if (!existsSync(file)) writeWhole(file, text, world.id("draft"));
    world.crashPoint("session.words.after");
  } catch (error) {
    return { kind: "never", text: `the words could not be written down: ${errorText(error)}` };
  }
  return awaitCourier(post, file);
}

/** Whether what was sent under a key has reached the agent. */
export const wasPosted = (session: SessionFolder, key: string): boolean =>
  existsSync(path.join(session.words, `${textDigest(key)}.told`));

const DELIVERED: Delivery = { kind: "delivered" };

async function awaitCourier({ world, session, limitMs, closed }: Post, file: string): Promise<Delivery> {
  let announced = false;
  for (let rounds = 0; ; rounds += 1) {
    if (existsSync(`${file}.told`)) return DELIVERED;
    if (rounds % PROBE_EACH === PROBE_EACH - 1 && isSessionOver(world, session))
      return existsSync(`${file}.going`)
        ? { kind: "unknown", text: "the session ended while they were on their way" }
        : { kind: "never", text: "the session is over" };
    if (closed() || rounds * POLL_MS >= limitMs)
      return { kind: "unknown", text: "the agent did not take them in time" };
    if (!announced) announced = announce(world, session, path.basename(file));
    await pause(world, POLL_MS);
  }
}

/** Closes the agent's stdin after everything that was said; answers whether there was somebody to do so. */
export const endWords = (world: World, session: SessionFolder): boolean => announce(world, session, "end");

/** One short write, which a FIFO takes whole or not at all. False where no courier reads: not yet, or not any more. */
function announce(world: World, { mail }: SessionFolder, line: string): boolean {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(mail, constants.O_WRONLY | constants.O_NONBLOCK);
    writeSync(descriptor, `${line}\n`);
    world.crashPoint("session.announce.after");
    return true;
  } catch {
    return false;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

export function isSessionOver(world: World, session: SessionFolder): boolean {
  if (readIdentity(session).kind === "none") return false;
  const { kind } = probeStarted(world, session);
  return kind === "over" || kind === "gone";
}
