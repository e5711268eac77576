import type { ReactElement } from "react";
import type { Drawing } from "./drawing.ts";
import type { Remedy } from "./layout/layout-marks.ts";

const RESULT_SHAPES: Readonly<Record<string, string>> = {
  helped: "✓",
  unclear: "?",
  not_applicable: "–",
};

/** A remedy under the bar that it was meant for, with what came of it: `▲ restart ✓`. */
export function RemedyMark(props: Drawing & { readonly remedy: Remedy }): ReactElement | null {
  const { remedy, xOf, width, chosen, onChoose } = props;
  const { mark, name, result } = remedy;
  const x = xOf(mark.at);
  if (x < -4 || x > width + 4) return null;
  const shape = result === null ? "…" : (RESULT_SHAPES[result.outcome ?? ""] ?? "✕");
  const said = `${name}: ${result?.outcome ?? "…"}. ${mark.text}`;
  const tone = shape === "✓" ? "done" : shape === "✕" ? "failed" : "waiting";
  return (
    <button
      type="button"
      className={`remedy remedy-${tone}`}
      style={{ left: Math.min(x, width - 20) }}
      aria-label={said}
      title={said}
      aria-pressed={mark.seq === chosen}
      onClick={() => onChoose(mark.seq)}
    >
      ▲{name}
      <span aria-hidden="true"> {shape}</span>
    </button>
  );
}
