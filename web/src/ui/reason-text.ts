import { en } from "../text/en.ts";

/** What a run is blocked by, in words; a reason that has none as it is named. */
export const reasonText = (reason: string): string =>
  en.inbox.reasons[reason as keyof typeof en.inbox.reasons] ?? codeText(reason);

/** `before_step` as `before step`. */
export const codeText = (code: string): string => code.replaceAll("_", " ");
