import { checkAiSdk } from "./ai-sdk/check-ai-sdk.ts";
import { checkAnthropic } from "./anthropic/check-anthropic.ts";
import { checkOpenaiChat } from "./openai/check-openai-chat.ts";
import { checkResponses } from "./openai/check-responses.ts";
import { checkUiMessages } from "./ai-sdk/check-ui-messages.ts";
import { isRecord } from "./json-values.ts";
import type { Problem } from "./problem.ts";
import { detectShape } from "./detect-shape.ts";
import type { MessageShape, RepairOptions } from "./repair.ts";

/**
 * Holds a history to the vendor's documented rules, strictly. An empty list means that none of them is broken. Called as
 * `repairMessages` is; the shape alone, in the place of the options, is understood too.
 */
export function checkMessages(
  messages: readonly unknown[],
  options: Pick<RepairOptions, "shape"> | MessageShape = {},
): readonly Problem[] {
  const given = typeof options === "string" ? options : options.shape;
  const shape = given ?? detectShape(messages);
  switch (shape) {
    case "plain":
      return [];
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
