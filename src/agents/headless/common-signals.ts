import { CONVERSATION_MISSING, type Signal } from "../../model/agent/signals.ts";
import { isConversationId } from "../conversation-id.ts";

/** The agent does not know the conversation it was to go on with. */
export const missingConversation = (text: string): Signal => ({
  kind: "error",
  text,
  terminal: false,
  code: CONVERSATION_MISSING,
});

/** The first thing that is heard of an agent. */
export const begun = (conversation: string | undefined): readonly Signal[] => [
  { kind: "ready" },
  ...(conversation === undefined ? [] : [named(conversation)]),
];

function named(conversation: string): Signal {
  if (isConversationId(conversation)) return { kind: "conversation", id: conversation };
  const seen = JSON.stringify(conversation.slice(0, 100));
  const text = `the agent named its conversation ${seen}; expected letters, digits and "_.:-". It cannot be continued`;
  return { kind: "error", text, terminal: false };
}
