import type { Signal } from "../../model/agent/signals.ts";
import type { StartOrder } from "../agent-driver.ts";
import { continuable } from "../conversation-id.ts";
import { missingConversation } from "../headless/provider-error.ts";
import { conversationName } from "../headless/conversation-name.ts";
import type { Progress } from "./type/delivery-log.ts";
import type { Program } from "./programs/program.ts";
import type { SaidRecord } from "./type/said-record.ts";
import type { Ordered } from "./terminal-folder.ts";

/** The conversation that a program is started with. */
export interface NamedConversation {
  /** Undefined where the program, or a person, names it without reporting. */
  readonly id: string | undefined;
  readonly goesOn: boolean;
  /** What is added to the program's own words. */
  readonly words: readonly string[];
}

const UNNAMED: NamedConversation = { id: undefined, goesOn: false, words: [] };

/** Chosen before the start and written down with the order, so that it is known however soon the program dies (A6). */
export function nameConversation(program: Program, order: StartOrder, mark: string): NamedConversation {
  const { conversation } = program;
  const own = order.spec.command?.slice(1) ?? [];
  if (conversation === undefined || own.some((word) => conversation.decided.test(word))) return UNNAMED;
  const resume = continuable(order.resume);
  if (resume !== undefined) return { id: resume, goesOn: true, words: conversation.goOn(resume) };
  const id = conversationName(mark);
  return { id, goesOn: false, words: conversation.begin(id) };
}

/** A program that knows its conversation shows it, and waits. */
const NOT_SHOWN = missingConversation("the program ended before it showed the conversation to go on with");

/**
 * What is to be reported of the conversation of a program that has ended: that it was not found, or, where it ended
 * before anybody could look, which it is. Once Enter may have been pressed there is something to go on with.
 */
export function conversationAtEnd(
  ordered: Ordered | undefined,
  { ready, named }: Progress,
  task: SaidRecord | undefined,
): Signal | undefined {
  if (ordered?.conversation === undefined) return undefined;
  if (ordered.goesOn === true && !ready) return NOT_SHOWN;
  if (named || task === undefined || task.state === "typing") return undefined;
  return { kind: "conversation", id: ordered.conversation };
}
