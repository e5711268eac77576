import { isoTime } from "../../model/text/iso-time.ts";
import { readLimit, type LimitRule } from "../../model/text/limit-text.ts";
import { resetTime } from "../../model/text/reset-time.ts";

export interface TextVerdict {
  readonly rate_limited: boolean;
  readonly phase: "hard" | "retrying" | null;
  readonly resets_at: string | null;
  readonly retry_after_s: number | null;
}

/** Whether terminal text states a provider's limit, and when it ends. */
export function assessText(
  text: string,
  now: number,
  zone: string,
  without?: ReadonlySet<LimitRule>,
): TextVerdict {
  const reading = readLimit(text, without);
  if (reading === null) return { rate_limited: false, phase: null, resets_at: null, retry_after_s: null };
  const { retryAfterMs, resetsAt } = resetTime(text, now, zone);
  const at = resetsAt ?? (retryAfterMs === undefined ? undefined : now + retryAfterMs);
  return {
    rate_limited: true,
    phase: reading.phase,
    resets_at: at === undefined ? null : isoTime(at),
    retry_after_s: retryAfterMs === undefined ? null : retryAfterMs / 1_000,
  };
}
