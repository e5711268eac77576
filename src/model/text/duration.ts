import { Fault } from "../fault.ts";

/** Milliseconds, or text such as `90s`, `10m`, `24h`, `7d`. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d"}`;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const UNITS = ["d", "h", "m", "s"] as const;

/** The shortest text that `durationMs` reads as that time: to the tenth below a minute, to the second above. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${String(Math.ceil(ms))}ms`;
  const tenths = Math.ceil(ms / 100);
  if (tenths < 600) return `${String(tenths / 10)}s`;
  const whole = Math.ceil(ms / 1_000) * 1_000;
  const unit = UNITS.find((one) => whole % (UNIT_MS[one] ?? 1) === 0) ?? "s";
  return `${String(whole / (UNIT_MS[unit] ?? 1))}${unit}`;
}

/** Reads a duration of which the compiler may not know whether it is one. */
export function durationMs(duration: number | string): number {
  if (typeof duration === "number" && Number.isFinite(duration) && duration >= 0) return Math.round(duration);
  const match = typeof duration === "string" ? /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration.trim()) : null;
  const unit = UNIT_MS[match?.[2] ?? ""];
  if (match !== null && unit !== undefined) return Math.round(Number(match[1]) * unit);
  throw new Fault(
    "usage",
    `"${String(duration)}" is no duration; expected milliseconds or text such as 90s, 10m, 24h, 7d`,
  );
}
