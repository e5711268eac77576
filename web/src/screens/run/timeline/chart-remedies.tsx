import type { ReactElement } from "react";
import type { Drawing } from "./drawing.ts";
import { placeSigns, type Placed } from "./layout/layout-labels.ts";
import type { Remedy } from "./layout/layout-marks.ts";

const RESULT_SHAPES: Readonly<Record<string, string>> = {
  helped: "✓",
  unclear: "?",
  not_applicable: "–",
};
const LABEL_PX = 76;

type Chosen = Pick<Drawing, "chosen" | "onChoose">;

/** The remedies of one row, under the bar that they were meant for, each with what came of it: `▲ restart ✓`. */
export function RemedyMarks(props: Drawing & { readonly remedies: readonly Remedy[] }): ReactElement {
  const { remedies, xOf, width, chosen, onChoose } = props;
  const signs = remedies.map((remedy) => ({ item: remedy, x: xOf(remedy.mark.at) }));
  return (
    <>
      {placeSigns(signs, width).map((placed) => (
        <RemedyMark key={placed.item.mark.seq} {...placed} chosen={chosen} onChoose={onChoose} />
      ))}
    </>
  );
}

function RemedyMark({ item, left, room, chosen, onChoose }: Placed<Remedy> & Chosen): ReactElement {
  const { mark, name, result } = item;
  const shape = result === null ? "…" : (RESULT_SHAPES[result.outcome ?? ""] ?? "✕");
  const said = `${name}: ${result?.outcome ?? "…"}. ${mark.text}`;
  const tone = shape === "✓" ? "done" : shape === "✕" ? "failed" : "waiting";
  return (
    <button
      type="button"
      className={`remedy remedy-${tone}`}
      style={{ left, maxWidth: room }}
      aria-label={said}
      title={said}
      aria-pressed={mark.seq === chosen}
      onClick={() => onChoose(mark.seq)}
    >
      ▲{room >= LABEL_PX && <span className="clip">{name}</span>}
      <span aria-hidden="true">{shape}</span>
    </button>
  );
}
