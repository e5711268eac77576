import { aiSdkDialect } from "./ai-sdk/ai-sdk-dialect.ts";
import { anthropicDialect } from "./anthropic/anthropic-dialect.ts";
import { detectShape } from "./check-messages.ts";
import type { Dialect } from "./draft.ts";
import { isRecord, type MessageShape, type Repair, RepairLog, type RepairOptions } from "./repair.ts";
import { openaiChatDialect } from "./openai/openai-chat-dialect.ts";
import { repairDrafts } from "./repair-drafts.ts";
import { repairUiMessages } from "./ai-sdk/repair-ui-messages.ts";
import { responsesDialect } from "./openai/responses-dialect.ts";

export interface RepairedMessages<Message> {
  readonly messages: Message[];
  readonly repairs: readonly Repair[];
}

/**
 * Makes a message history acceptable again after its program died in the middle: calls without a result are answered
 * from the journal or marked interrupted, and never run again; results come to where the vendor wants them. Pass the
 * whole history. The input is not changed, and a repaired history is not repaired further.
 */
export function repairMessages<Message>(
  messages: readonly Message[],
  options: RepairOptions = {},
): RepairedMessages<Message> {
  const shape = options.shape ?? detectShape(messages);
  const log = new RepairLog();
  if (shape === "plain") return { messages: [...messages], repairs: [] };
  const repairing = { known: options.known, log };
  const repaired =
    shape === "ai-sdk" && messages.some(isUiMessage)
      ? repairUiMessages(messages, repairing)
      : repairDrafts(messages, dialectFor(shape, messages), repairing);
  return { messages: repaired as Message[], repairs: log.repairs };
}

const isUiMessage = (message: unknown): boolean => isRecord(message) && Array.isArray(message["parts"]);

function dialectFor(shape: MessageShape, messages: readonly unknown[]): Dialect {
  switch (shape) {
    case "anthropic":
      return anthropicDialect(messages);
    case "openai-chat":
      return openaiChatDialect;
    case "openai-responses":
      return responsesDialect(messages);
    case "ai-sdk":
      return aiSdkDialect(messages);
  }
}
