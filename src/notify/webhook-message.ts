import type { SentNotice } from "../model/settings/notice.ts";
import { printable } from "../model/text/printable.ts";
import { inOrder } from "./in-order.ts";

/**
 * The body of a post: an envelope as the Standard Webhooks specification advises, the notice as its data, and beside
 * them the `text` that chat services show. It depends on what is sent alone: only the link may lead elsewhere in a later
 * try, where the dashboard is served elsewhere by then.
 */
export function webhookMessage(notice: SentNotice): string {
  return JSON.stringify({
    type: `holdfast.${notice.kind}`,
    timestamp: new Date(notice.at).toISOString(),
    data: inOrder(notice),
    text: chatText(notice),
  }).toWellFormed();
}

/** In chats `<!channel>` calls everybody: words from elsewhere must stay words. */
function chatText({ title, text, command, link }: SentNotice): string {
  const parts = [title, text, command ?? "", link ?? ""].filter((part) => part !== "");
  return printable(parts.join("\n")).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
