import { checkAiSdk } from "./check-ai-sdk.ts";
import { checkAnthropic } from "./check-anthropic.ts";
import { checkOpenaiChat } from "./check-openai-chat.ts";
import { checkResponses } from "./check-responses.ts";
import { checkUiMessages } from "./check-ui-messages.ts";
import { isRecord } from "./json-values.ts";
import type { Problem } from "./problem.ts";
import type { MessageShape } from "./repair.ts";

/** Holds a history to the vendor's documented rules, strictly. An empty list means that none of them is broken. */
export function checkMessages(messages: readonly unknown[], shape: MessageShape): readonly Problem[] {
  switch (shape) {
    case "anthropic":
      return checkAnthropic(messages);
    case "openai-chat":
      return checkOpenaiChat(messages);
    case "openai-responses":
      return checkResponses(messages);
    case "ai-sdk":
      return messages.some((message) => isRecord(message) && Array.isArray(message["parts"]))
        ? checkUiMessages(messages)
        : checkAiSdk(messages);
  }
}
