/** Journals beside those of runs that the stream can carry, by what stands before the colon of their addresses. */
export const ALSO_KINDS = ["continuous"] as const;

/** What an address is of; null for a run's id, which has no colon. */
export function kindOf(address: string): string | null {
  const at = address.indexOf(":");
  return at < 0 ? null : address.slice(0, at);
}

export const isStreamed = (address: string): boolean => {
  const kind = kindOf(address);
  return kind === null || ALSO_KINDS.some((known) => known === kind);
};
