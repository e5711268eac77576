import type { ReactElement } from "react";
import { en } from "../text/en.ts";
import { useNowText } from "./clock.ts";
import { absoluteText, clockText, relativeText, spanText, zoneName } from "./time-text.ts";

interface TimeProps {
  /** ISO text, or milliseconds. */
  readonly at: string | number | null | undefined;
  /** `relative`: 12 min ago. `until`: 19:00 (in 1 h 12 min). `since`: 12 min. `clock`: 19:00. */
  readonly as?: "relative" | "until" | "since" | "clock";
}

/** A moment as people think of it; the exact one, with its zone, on hover. */
export function Time({ at, as = "relative" }: TimeProps): ReactElement {
  const ms = typeof at === "number" ? at : Date.parse(at ?? "");
  const text = useNowText((now) => (Number.isNaN(ms) ? en.time.unknown : textOf(ms, now, as)));
  if (Number.isNaN(ms)) return <span className="muted">{text}</span>;
  return (
    <time className="num" dateTime={new Date(ms).toISOString()} title={`${absoluteText(ms)} (${zoneName()})`}>
      {text}
    </time>
  );
}

function textOf(ms: number, now: number, as: NonNullable<TimeProps["as"]>): string {
  switch (as) {
    case "relative":
      return relativeText(ms, now);
    case "since":
      return spanText(now - ms);
    case "clock":
      return clockText(ms, now);
    case "until":
      return ms > now ? `${clockText(ms, now)} (${relativeText(ms, now)})` : relativeText(ms, now);
  }
}
