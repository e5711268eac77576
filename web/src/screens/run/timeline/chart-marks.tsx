import type { ReactElement } from "react";
import { en } from "../../../text/en.ts";
import { absoluteText } from "../../../ui/time-text.ts";
import { visibleLine } from "../../../ui/untrusted-text.ts";
import type { Drawing } from "./drawing.ts";
import type { Mark } from "./layout/layout-items.ts";
import { clustersOf, type Cluster } from "./layout/layout-marks.ts";

interface MarkRowProps extends Drawing {
  readonly label: string;
  readonly kinds: readonly Mark["kind"][];
  readonly marks: readonly Mark[];
}

const APART_PX = 22;
const SHAPES: Readonly<Record<string, string>> = {
  checkpoint: "◇",
  health: "△",
  question: "◆",
  answer: "◈",
  request: "›",
  end: "⚑",
  clock: "◷",
};

/** Marks of some kinds in a row of their own; those that would lie on each other are one, with their number. */
export function MarkRow(props: MarkRowProps): ReactElement | null {
  const { label, kinds, marks, xOf, width } = props;
  const own = marks.filter(({ kind }) => kinds.includes(kind));
  if (own.length === 0) return null;
  return (
    <div className="chart-line">
      <span className="chart-label muted">{label}</span>
      <div className="chart-track" style={{ width }}>
        {clustersOf(own, xOf, { width, apart: APART_PX }).map((cluster) => (
          <ClusterMark key={cluster.marks[0]?.seq} cluster={cluster} {...props} />
        ))}
      </div>
    </div>
  );
}

function ClusterMark({
  cluster,
  width,
  chosen,
  onChoose,
}: MarkRowProps & { readonly cluster: Cluster }): ReactElement | null {
  const last = cluster.marks.at(-1);
  if (last === undefined) return null;
  const count = cluster.marks.length;
  const name = cluster.marks
    .slice(-3)
    .map(
      ({ kind, text, at }) =>
        `${en.run.timeline.kinds[kind as keyof typeof en.run.timeline.kinds]}: ${visibleLine(text, 120)} (${absoluteText(at)})`,
    )
    .join("\n");
  return (
    <button
      type="button"
      className={`mark mark-${last.kind}`}
      style={{ left: Math.max(0, Math.min(cluster.x - 9, width - 20)) }}
      aria-label={name}
      title={name}
      aria-pressed={cluster.marks.some(({ seq }) => seq === chosen)}
      onClick={() => onChoose(last.seq)}
    >
      {SHAPES[last.kind] ?? "•"}
      {count > 1 && <sub>{count}</sub>}
    </button>
  );
}
