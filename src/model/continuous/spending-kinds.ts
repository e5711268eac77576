/** Apart from its schema, so that pages that only describe events load none. */
export const SPENDING_KINDS = ["usd", "tokens", "timeMs"] as const;
export type SpendingKind = (typeof SPENDING_KINDS)[number];

/** So much of each. */
export type SpentAmounts = Record<SpendingKind, number>;
