import type { ReactElement } from "react";
import { en } from "../../../text/en.ts";
import { zoneName } from "../../../ui/time-text.ts";
import type { Loaded } from "./layout/layout-items.ts";

interface ToolsProps {
  readonly loaded: Loaded;
  readonly onZoom: (factor: number) => void;
  readonly onAll: () => void;
  readonly onEarlier: (() => void) | null;
  readonly onLater: (() => void) | null;
}

export function ChartTools({ loaded, onZoom, onAll, onEarlier, onLater }: ToolsProps): ReactElement {
  const { timeline } = en.run;
  return (
    <div className="panel-head timeline-tools">
      <span className="muted small num">
        {timeline.mapShown(String(loaded.fromSeq), String(loaded.toSeq), String(loaded.head))}
        <span className="timeline-zone"> · {en.time.zone(zoneName())}</span>
      </span>
      <span className="grow" />
      {onEarlier !== null && (
        <button type="button" className="button button-normal" onClick={onEarlier}>
          {en.run.earlier}
        </button>
      )}
      {onLater !== null && (
        <button type="button" className="button button-normal" onClick={onLater}>
          {en.run.later}
        </button>
      )}
      <button
        type="button"
        className="button button-normal"
        aria-label={timeline.zoomOut}
        onClick={() => onZoom(1.6)}
      >
        −
      </button>
      <button
        type="button"
        className="button button-normal"
        aria-label={timeline.zoomIn}
        onClick={() => onZoom(0.6)}
      >
        +
      </button>
      <button type="button" className="button button-normal" onClick={onAll}>
        {timeline.all}
      </button>
    </div>
  );
}
