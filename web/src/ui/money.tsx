import type { ReactElement } from "react";

/** `$12.40`; of small amounts, enough digits to see that it is not nothing. */
export function moneyText(usd: number): string {
  const digits = usd !== 0 && Math.abs(usd) < 0.1 ? 4 : 2;
  return `${usd < 0 ? "-" : ""}$${Math.abs(usd).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: digits })}`;
}

/** `950`, `41k`, `1.2M`. */
export function countText(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  if (count < 1_000_000) return `${rounded(count / 1_000)}k`;
  return `${rounded(count / 1_000_000)}M`;
}

const rounded = (value: number): string =>
  value < 10 ? String(Number(value.toFixed(1))) : String(Math.round(value));

const GIB = 2 ** 30;

/** `3.2 GiB`. */
export const sizeText = (bytes: number): string => `${String(Math.round((bytes / GIB) * 10) / 10)} GiB`;

export function Money({ usd }: { readonly usd: number | null | undefined }): ReactElement {
  return <span className="num">{usd === null || usd === undefined ? "–" : moneyText(usd)}</span>;
}
