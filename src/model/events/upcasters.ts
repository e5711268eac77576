/** What an old event type has become. Chains are followed, so each entry only knows its direct successor. */
export interface Upcast {
  readonly type: string;
  readonly data: unknown;
}

/** Keyed by the name that is no longer written. Entries are never removed: old journals fold for ever. */
export const UPCASTERS: Readonly<Record<string, (data: unknown) => Upcast>> = {};
