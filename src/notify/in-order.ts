import type { SentNotice } from "../model/settings/notice.ts";

/** The fields by name: a process that tries again may have read the notice in another order, and every try sends the same bytes. */
export const inOrder = (notice: SentNotice): SentNotice =>
  Object.fromEntries(Object.entries(notice).sort(([a], [b]) => (a < b ? -1 : 1))) as unknown as SentNotice;
