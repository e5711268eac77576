import type { ReactElement } from "react";
import { en } from "../../../text/en.ts";
import { visibleLine } from "../../../ui/untrusted-text.ts";
import type { Drawing, Owner } from "./drawing.ts";
import type { Extent, Mark } from "./layout/layout-items.ts";
import { ownersOf } from "./layout/layout-owners.ts";

interface OwnerRowProps extends Drawing {
  readonly marks: readonly Mark[];
  readonly owners: readonly Owner[];
  readonly extent: Extent;
}

/** Who supervised the run when, and why that changed; the store refuses what an earlier owner still writes. */
export function OwnerRow({
  marks,
  owners,
  extent,
  xOf,
  width,
  chosen,
  onChoose,
}: OwnerRowProps): ReactElement | null {
  const bySeq = new Map(owners.map((owner) => [owner.seq, owner]));
  const spans = ownersOf(marks, extent, ({ seq }) => String(seq));
  if (spans.length === 0) return null;
  const { timeline } = en.run;
  return (
    <div className="chart-line">
      <span className="chart-label muted">{timeline.owner}</span>
      <div className="chart-track" style={{ width }}>
        {spans.map(({ owner: key, from, to }) => {
          const seq = key === null ? null : Number(key);
          const owner = seq === null ? undefined : bySeq.get(seq);
          const [left, right] = [Math.max(0, xOf(from)), Math.min(width, xOf(to))];
          if (right <= 0 || left >= width) return null;
          const why = owner === undefined ? "" : (timeline.takenFrom[owner.from] ?? owner.from);
          const shape = owner?.from === "gone" || owner?.from === "silent" ? "✕ " : "";
          const label = `${shape}${visibleLine(owner?.host ?? owner?.owner ?? "", 40)}${why === "" ? "" : ` (${why})`}`;
          const name = owner === undefined ? timeline.owner : `${label}. ${timeline.epoch(owner.epoch)}`;
          return (
            <button
              key={from}
              type="button"
              className={`owner-span ${shape === "" ? "" : "owner-taken"}`}
              style={{ left, width: Math.max(8, right - left) }}
              aria-label={name}
              title={name}
              aria-pressed={seq !== null && seq === chosen}
              disabled={seq === null}
              onClick={() => {
                if (seq !== null) onChoose(seq);
              }}
            >
              <span className="clip">{label}</span>
            </button>
          );
        })}
      </div>
    </div>
  );
}
