import type { World } from "../../model/world.ts";
import type { PermissionAnswer, Message, SendOutcome } from "../agent-driver.ts";
import { isSessionOver, postWords, wasPosted, type Delivery } from "../keeper/post-words.ts";
import type { SessionFolder } from "../keeper/session-folder.ts";
import { spoolTail } from "../keeper/spool/spool-tail.ts";
import { pause } from "../pause.ts";
import { cancel, permissionAnswer, promptCall } from "./acp-message.ts";
import { AcpTalk, type PermissionAsk } from "./acp-talk.ts";
import { pastOf, queueMessage } from "./session-papers.ts";

export interface Speaker {
  readonly world: World;
  readonly session: SessionFolder;
  readonly closed: () => boolean;
}

const LIMIT_MS = 60_000;
const POLL_MS = 50;

/** Leaves words for the agent and waits until it has them, which may be when its present turn ends. */
export async function sendToAgent(
  { world, session, closed }: Speaker,
  message: Message,
): Promise<SendOutcome> {
  if (isSessionOver(world, session)) return notSent("the session is over");
  const name = queueMessage(session, message.key, message.text, world.now(), world.id("draft"));
  const isPosted = (): boolean => wasPosted(session, promptCall(name));
  while (!isPosted() && !closed() && !isSessionOver(world, session)) await pause(world, POLL_MS);
  return isPosted() ? sent("prompted") : notSent("the session ended before its agent received the message");
}

/** Answers by the option that means it, this once where there is a choice. */
export async function answerAsk(speaker: Speaker, { askId, allow }: PermissionAnswer): Promise<SendOutcome> {
  const ask = (await talkSoFar(speaker)).asks.get(askId);
  if (ask === undefined) return refused(`the agent did not ask for permission under ${askId}`);
  const option = optionFor(ask, allow);
  if (option === null && allow) return refused("the agent offers no option that allows it");
  const outcome = await post(speaker, `hf:answer:${askId}`, permissionAnswer(ask.id, option));
  return outcome.kind === "delivered" ? sent(option ?? "cancelled") : notSent(outcome.text);
}

function optionFor({ options }: PermissionAsk, allow: boolean): string | null {
  const wanted = allow ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  const found = wanted.map((kind) => options.find((option) => option.kind === kind)).find((option) => option);
  return found?.optionId ?? null;
}

/** Breaks off the turn; everything it asks for is not given. */
export async function interruptTurn(speaker: Speaker): Promise<SendOutcome> {
  const { sessionId, asks } = await talkSoFar(speaker);
  if (sessionId === null) return notSent("the agent has no session yet");
  const key = speaker.world.id("interrupt");
  const outcome = await post(speaker, key, cancel(sessionId));
  if (outcome.kind !== "delivered") return notSent(outcome.text);
  for (const [askId, { id }] of asks) await post(speaker, `hf:answer:${askId}`, permissionAnswer(id, null));
  return sent("cancelled");
}

const post = ({ world, session, closed }: Speaker, key: string, text: string): Promise<Delivery> =>
  postWords({ world, session, key, text, limitMs: LIMIT_MS, closed });

/** What the agent has said up to now; others have their turn after each piece. */
async function talkSoFar({ world, session }: Speaker): Promise<AcpTalk> {
  const talk = new AcpTalk(pastOf(session));
  const tail = spoolTail(session, ["out"]);
  for (let lines = tail.next(undefined); typeof lines !== "string"; lines = tail.next(undefined)) {
    for (const { line, spool } of lines) talk.read(line, spool);
    await pause(world, 0);
  }
  return talk;
}

const sent = (detail: string): SendOutcome => ({ kind: "sent", detail });
const notSent = (text: string): SendOutcome => ({ kind: "failed", text, terminal: false });
const refused = (text: string): SendOutcome => ({ kind: "failed", text, terminal: true });
