import { CONVERSATION_MISSING, type Signal } from "../../model/signals.ts";

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
  ...(conversation === undefined || conversation.length > 200
    ? []
    : [{ kind: "conversation" as const, id: conversation }]),
];
