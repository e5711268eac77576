import { useMemo, useRef, useState, type ReactElement } from "react";
import { en } from "../../../text/en.ts";
import { visibleLine } from "../../../ui/untrusted-text.ts";
import { BarMark } from "./chart-bars.tsx";
import { ChartAxis } from "./chart-axis.tsx";
import { MarkRow } from "./chart-marks.tsx";
import { OwnerRow } from "./chart-owners.tsx";
import { boxesOf } from "./layout/layout-boxes.ts";
import type { Extent, Loaded } from "./layout/layout-items.ts";
import { seenRows, type Lane } from "./layout/layout-lanes.ts";
import { laneAt, remediesOf, type Remedy } from "./layout/layout-marks.ts";
import type { Scale } from "./layout/layout-scale.ts";
import type { View } from "./layout/layout-view.ts";
import { RemedyMarks } from "./chart-remedies.tsx";
import type { Drawing, Owner } from "./drawing.ts";

interface LanesProps {
  readonly loaded: Loaded;
  readonly owners: readonly Owner[];
  readonly lanes: readonly Lane[];
  readonly scale: Scale;
  readonly view: View;
  readonly extent: Extent;
  readonly width: number;
  readonly now: number;
  readonly chosen: number | null;
  readonly attempt: string | null;
  readonly onChoose: (seq: number, attempt?: string) => void;
}

const LABEL_PX = 132;
const ROW_PX = 34;
const LANES_PX_MAX = 420;

/** Rows under one axis. Of many lanes only those are drawn that are seen. */
export function ChartLanes(props: LanesProps): ReactElement {
  const { loaded, lanes, scale, view, now } = props;
  const width = Math.max(120, props.width - LABEL_PX - 12);
  const perUnit = width / Math.max(1, view.to - view.from);
  const xOf = (time: number): number => (scale.uOf(time) - view.from) * perUnit;
  const [top, scroll] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const height = Math.min(LANES_PX_MAX, Math.max(1, lanes.length) * ROW_PX);
  const { first, end } = seenRows(lanes.length, { top, height, row: ROW_PX });
  const remedies = useMemo(() => byLane(lanes, remediesOf(loaded.marks)), [lanes, loaded]);
  const drawing = { xOf, width, now, chosen: props.chosen, onChoose: props.onChoose };
  return (
    <div className="chart">
      <ChartAxis
        scale={scale}
        view={view}
        width={width}
        labelPx={LABEL_PX}
        now={now}
        xOf={xOf}
        lanesPx={height}
      />
      <div
        className="chart-lanes"
        ref={box}
        style={{ maxHeight: LANES_PX_MAX }}
        onScroll={({ currentTarget }) => scroll(currentTarget.scrollTop)}
      >
        <div className="chart-space" style={{ height: lanes.length * ROW_PX }}>
          {lanes.slice(first, end).map((lane, at) => (
            <div
              key={lane.id}
              className={`chart-row ${props.attempt === lane.id ? "chart-row-chosen" : ""}`}
              style={{ top: (first + at) * ROW_PX, height: ROW_PX }}
            >
              <LaneRow lane={lane} remedies={remedies.get(lane.id) ?? []} drawing={drawing} />
            </div>
          ))}
        </div>
      </div>
      <MarkRow label={en.run.timeline.kinds.health} kinds={HEALTH} marks={loaded.marks} {...drawing} />
      <MarkRow label={en.run.timeline.kinds.question} kinds={PEOPLE} marks={loaded.marks} {...drawing} />
      <MarkRow label={en.run.timeline.checkpoints} kinds={CHECKPOINTS} marks={loaded.marks} {...drawing} />
      <OwnerRow {...drawing} marks={loaded.marks} owners={props.owners} extent={props.extent} />
    </div>
  );
}

interface LaneRowProps {
  readonly lane: Lane;
  readonly remedies: readonly Remedy[];
  readonly drawing: Drawing;
}

function LaneRow({ lane, remedies, drawing }: LaneRowProps): ReactElement {
  return (
    <>
      <span className="chart-label mono clip" title={visibleLine(lane.label)}>
        <bdi>{visibleLine(lane.label, 60)}</bdi>
      </span>
      <div className="chart-track" style={{ width: drawing.width }}>
        {boxesOf(lane.bars, drawing).map((boxed) => (
          <BarMark
            key={`${boxed.bar.one.kind} ${String(boxed.bar.from)}`}
            {...boxed}
            chosen={drawing.chosen}
            onChoose={drawing.onChoose}
          />
        ))}
        <RemedyMarks remedies={remedies} {...drawing} />
      </div>
    </>
  );
}

const HEALTH = ["health", "clock", "end"] as const;
const PEOPLE = ["question", "answer", "request"] as const;
const CHECKPOINTS = ["checkpoint"] as const;

function byLane(lanes: readonly Lane[], remedies: readonly Remedy[]): ReadonlyMap<string, readonly Remedy[]> {
  const found = new Map<string, Remedy[]>();
  for (const remedy of remedies) {
    const lane = laneAt(lanes, remedy.mark.lane, remedy.mark.at);
    if (lane !== null) found.set(lane, [...(found.get(lane) ?? []), remedy]);
  }
  return found;
}
