import type { InboxItem } from "../../data/documents.ts";
import type { LaterItems } from "./use-later.ts";

/** What of an item is open for words. */
export type OpenField = "answer" | "reject" | "edit" | "later";

export interface InboxAct {
  readonly isAsking: boolean;
  /** Does what a command stands for; false where a button cannot. */
  readonly send: (command: string) => boolean;
}

export interface InboxDetailProps {
  readonly item: InboxItem;
  readonly field: OpenField | null;
  readonly onField: (field: OpenField | null) => void;
  readonly later: LaterItems;
  readonly now: number;
  readonly act: InboxAct;
}
