import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactElement } from "react";
import { en } from "../../../text/en.ts";
import { useNow } from "../../../ui/clock.ts";
import { ChartLanes } from "./chart-lanes.tsx";
import { ChartTools } from "./chart-tools.tsx";
import type { Owner } from "./drawing.ts";
import { foldsOf } from "./layout/layout-folds.ts";
import { extentOf, type Loaded } from "./layout/layout-items.ts";
import { lanesOf } from "./layout/layout-lanes.ts";
import { scaleOf } from "./layout/layout-scale.ts";
import { followView, keyedView, panView, revealView, zoomView, type View } from "./layout/layout-view.ts";
import { nextStop } from "./layout/layout-stops.ts";
import { useWidth } from "./use-width.ts";

interface ChartProps {
  readonly loaded: Loaded;
  readonly owners: readonly Owner[];
  readonly chosen: number | null;
  readonly attempt: string | null;
  readonly isOver: boolean;
  readonly onChoose: (seq: number, attempt?: string) => void;
  readonly onEarlier: (() => void) | null;
  readonly onLater: (() => void) | null;
}

const WHEEL_ZOOM = 1.0015;
/** A run at work grows by the second; its axis by so much at once, so that not everything moves all the time. */
const GROWS_MS = 5_000;

/** The axis of time with its lanes: zoomed and moved by wheel, keys and buttons. */
export function TimelineChart(props: ChartProps): ReactElement {
  const { loaded, chosen, isOver, onChoose } = props;
  const now = useNow();
  const until = isOver ? 0 : Math.ceil(now / GROWS_MS) * GROWS_MS;
  const { scale, lanes, extent } = useMemo(() => {
    const span = extentOf(loaded, until);
    return {
      extent: span,
      scale: scaleOf(span, foldsOf(loaded.lasting, loaded.marks, span)),
      lanes: lanesOf(loaded, span),
    };
  }, [loaded, until]);
  const [held, hold] = useState<{ readonly view: View; readonly units: number } | null>(null);
  const view = held === null ? { from: 0, to: scale.units } : followView(held.view, held.units, scale.units);
  const look = (next: View): void => hold({ view: next, units: scale.units });
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const latest = useRef({ view, look, units: scale.units });
  latest.current = { view, look, units: scale.units };
  useWheel(box, latest);
  const onStop = (step: 1 | -1): void => {
    const stop = nextStop(loaded, chosen, step);
    if (stop === null) return;
    onChoose(stop.seq);
    look(revealView(view, scale.uOf(stop.at), scale.units));
  };
  const onKeyDown = chartKeys({ view, units: scale.units, look, onStop });
  const zoom = (factor: number): void => look(zoomView(view, factor, { anchor: 0.5, units: scale.units }));
  return (
    <>
      <ChartTools
        loaded={loaded}
        onZoom={zoom}
        onAll={() => hold(null)}
        onEarlier={props.onEarlier}
        onLater={props.onLater}
      />
      <div
        className="timeline-chart"
        ref={box}
        role="application"
        aria-label={en.run.timeline.label}
        aria-description={en.run.timeline.keys}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <ChartLanes
          {...props}
          lanes={lanes}
          scale={scale}
          view={view}
          extent={extent}
          width={width}
          now={now}
        />
      </div>
    </>
  );
}

interface Keyed extends Latest {
  readonly onStop: (step: 1 | -1) => void;
}

const chartKeys =
  ({ view, units, look, onStop }: Keyed) =>
  (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = keyedView(event.key, view, units);
    if (next !== null) look(next);
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft")
      onStop(event.key === "ArrowRight" ? 1 : -1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

interface Latest {
  readonly view: View;
  readonly look: (view: View) => void;
  readonly units: number;
}

/** A wheel with Ctrl, or a pinch, zooms where the pointer is; sideways, or with Shift, it moves. */
function useWheel(
  box: { readonly current: HTMLDivElement | null },
  latest: { readonly current: Latest },
): void {
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const onWheel = (event: WheelEvent): void => {
      const { view, look, units } = latest.current;
      const sideways = event.shiftKey ? event.deltaY : event.deltaX;
      const { left, width } = element.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey) {
        const anchor = Math.min(1, Math.max(0, (event.clientX - left) / Math.max(1, width)));
        look(zoomView(view, WHEEL_ZOOM ** event.deltaY, { anchor, units }));
      } else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY))
        look(panView(view, sideways / Math.max(1, width), units));
      else return;
      event.preventDefault();
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [box, latest]);
}
