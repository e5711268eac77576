import type { ReactElement } from "react";
import { absoluteText } from "../../../ui/time-text.ts";
import { foldLabel } from "./fold-label.ts";
import { tickText } from "./tick-text.ts";
import { roomOver } from "./layout/layout-labels.ts";
import type { Scale } from "./layout/layout-scale.ts";
import { ticksOf } from "./layout/layout-ticks.ts";
import type { View } from "./layout/layout-view.ts";

interface AxisProps {
  readonly scale: Scale;
  readonly view: View;
  readonly width: number;
  readonly labelPx: number;
  readonly lanesPx: number;
  readonly now: number;
  readonly xOf: (time: number) => number;
}

const APART_PX = 76;
const FOLD_LABEL_PX = 40;

/** Times along the top, and what was folded, with why. */
export function ChartAxis({ scale, view, width, labelPx, lanesPx, now, xOf }: AxisProps): ReactElement {
  const zoneMinutes = new Date(now).getTimezoneOffset();
  const ticks = ticksOf(scale, view, { width, apart: APART_PX, zoneMinutes });
  const folds = scale.segments.filter(
    ({ fold, u, units }) => fold !== null && u + units >= view.from && u <= view.to,
  );
  const middles = folds.map(({ from, to }) => (Math.max(0, xOf(from)) + Math.min(width, xOf(to))) / 2);
  const rooms = roomOver(middles, width);
  return (
    <div className="chart-axis" style={{ marginLeft: labelPx, width }}>
      <svg className="chart-grid" width={width} height={lanesPx + 44} aria-hidden="true">
        {ticks.map(({ at, x }) => (
          <line key={at} x1={x} x2={x} y1={36} y2={lanesPx + 44} className="grid-line" />
        ))}
        {folds.map(({ from, to }) => (
          <rect
            key={from}
            x={xOf(from)}
            width={Math.max(2, xOf(to) - xOf(from))}
            y={18}
            height={lanesPx + 26}
            className="fold-area"
          />
        ))}
      </svg>
      {ticks.map(({ at, x }) => (
        <time
          key={at}
          className="tick num"
          dateTime={new Date(at).toISOString()}
          title={absoluteText(at)}
          style={{ left: Math.min(x, width - 36) }}
        >
          {tickText(at, now)}
        </time>
      ))}
      {folds.map(({ from, fold }, at) => {
        const { middle = 0, room = 0 } = rooms[at] ?? {};
        const label = fold === null ? "" : foldLabel(fold, now);
        return (
          <span
            key={from}
            className="fold-label"
            title={label}
            style={{
              left: middle - room / 2,
              width: room,
              display: room < FOLD_LABEL_PX ? "none" : undefined,
            }}
          >
            <span className="clip">{label}</span>
          </span>
        );
      })}
    </div>
  );
}
