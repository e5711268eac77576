import type { Notice } from "./notice.ts";

const ORIGIN = /^https?:\/\/[^/?#\s]+/;

/** The page of the dashboard that shows what a notice is about; a question leads to its entry of the inbox. */
export function noticeLink(
  { kind, run, escalation }: Pick<Notice, "kind" | "run" | "escalation">,
  dashboard: string | null,
): string | null {
  const page = ORIGIN.exec(dashboard ?? "")?.[0];
  if (page === undefined) return null;
  if (kind === "incident") return `${page}/incidents`;
  const isOpen = kind === "escalation" || kind === "reminder";
  if (isOpen && escalation !== null) return `${page}/inbox?item=${encodeURIComponent(escalation)}`;
  return `${page}/runs/${encodeURIComponent(run)}`;
}
