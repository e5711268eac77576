import type { ReactElement } from "react";
import { en } from "../../../text/en.ts";
import { spanText } from "../../../ui/time-text.ts";
import { visibleLine } from "../../../ui/untrusted-text.ts";
import type { Drawing } from "./drawing.ts";
import type { BoxedBar } from "./layout/layout-boxes.ts";
import type { Bar } from "./layout/layout-lanes.ts";

const LABEL_PX = 60;
const SHAPE_PX = 16;

/** How an attempt ended, as a shape; the word stands beside it where there is room, and always in its name. */
const SHAPES: Readonly<Record<string, string>> = {
  succeeded: "✓",
  success: "✓",
  done: "✓",
  failed: "✕",
  crashed: "✕",
  cancelled: "⊘",
  suspended: "‖",
};

/** An attempt, a wait, a block or a pause, from when to when. */
export function BarMark({
  bar,
  left,
  width,
  chosen,
  onChoose,
}: BoxedBar & Pick<Drawing, "chosen" | "onChoose">): ReactElement {
  const { one, from, to, isCutLeft, isOpen } = bar;
  const seq = one.fromSeq ?? one.toSeq;
  const shape =
    one.kind === "attempt"
      ? isOpen
        ? "●"
        : (SHAPES[one.outcome ?? ""] ?? "■")
      : one.kind === "wait"
        ? "◷"
        : one.kind === "paused"
          ? "‖"
          : "■";
  const word = one.outcome ?? (isOpen ? en.status.running : "");
  const name = `${en.run.timeline.kinds[one.kind]} ${one.id}: ${visibleLine(word, 80)}, ${spanText(to - from)}`;
  return (
    <button
      type="button"
      className={`bar bar-${one.kind} bar-${toneOf(bar)} ${isCutLeft ? "bar-cut" : ""} ${isOpen ? "bar-open" : ""} ${width < SHAPE_PX ? "bar-narrow" : ""}`}
      style={{ left, width }}
      aria-label={name}
      title={name}
      aria-pressed={seq !== null && seq === chosen}
      disabled={seq === null}
      onClick={() => {
        if (seq !== null) onChoose(seq, one.kind === "attempt" ? one.id : undefined);
      }}
    >
      {width >= SHAPE_PX && <span aria-hidden="true">{shape}</span>}
      {width > LABEL_PX && <span className="clip">{visibleLine(word, 40)}</span>}
    </button>
  );
}

function toneOf({ one, isOpen }: Bar): string {
  if (one.kind !== "attempt") return one.kind;
  if (isOpen) return "running";
  if (SHAPES[one.outcome ?? ""] === "✓") return "done";
  return one.outcome === "suspended" || one.outcome === "cancelled" ? "quiet" : "failed";
}
