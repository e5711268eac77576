import { createHash } from "node:crypto";

export interface MarkedStore {
  readonly store: { readonly isDefault: boolean; readonly url: string };
}

/** What distinguishes what belongs to one store from what belongs to another; empty for the default one. */
export function storeMark({ store }: MarkedStore): string {
  if (store.isDefault) return "";
  return `-${createHash("sha256").update(store.url).digest("hex").slice(0, 8)}`;
}
