/** What the address of the inbox says. */
export interface InboxSearch {
  /** The question, or the run, whose item is shown first. */
  readonly item?: string;
}

export const readInboxSearch = ({ item }: Record<string, unknown>): InboxSearch =>
  typeof item === "string" && item !== "" ? { item } : {};
