import type { Notice } from "../model/settings/notice.ts";
import { printable } from "../model/text/printable.ts";

/**
 * The body of a post: an envelope as the Standard Webhooks specification advises, the notice as its data, and beside
 * them the `text` that chat services show. It depends on the notice alone, so every try posts the same bytes.
 */
export function webhookMessage(notice: Notice): string {
  return JSON.stringify({
    type: `holdfast.${notice.kind}`,
    timestamp: new Date(notice.at).toISOString(),
    data: notice,
    text: chatText(notice),
  }).toWellFormed();
}

/** In chats `<!channel>` calls everybody: words from elsewhere must stay words. */
function chatText({ title, text, command }: Notice): string {
  const parts = [title, text, ...(command === null ? [] : [command])].filter((part) => part !== "");
  return printable(parts.join("\n")).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
