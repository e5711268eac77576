import type { KeyboardEvent, PointerEvent, ReactElement } from "react";
import { en } from "../../../text/en.ts";
import type { Loaded } from "./layout/layout-items.ts";
import { miniMapOf, seqAtShare } from "./layout/layout-mini.ts";

const CELLS = 240;
const STEP = 0.02;

/** The whole run in one line: what is loaded, what is in it, and the way to any other part. */
export function MiniMap(props: {
  readonly loaded: Loaded;
  readonly onGo: (seq: number) => void;
}): ReactElement {
  const { loaded, onGo } = props;
  const cells = miniMapOf(loaded, CELLS);
  const most = Math.max(1, ...cells.map(({ marks }) => marks));
  const middle = (loaded.fromSeq + loaded.toSeq) / 2;
  const go = ({ currentTarget, clientX }: PointerEvent): void => {
    const { left, width } = currentTarget.getBoundingClientRect();
    onGo(seqAtShare((clientX - left) / Math.max(1, width), loaded.head));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const edge = step === 1 ? loaded.toSeq : loaded.fromSeq;
    onGo(seqAtShare(edge / Math.max(1, loaded.head) + step * STEP, loaded.head));
    event.preventDefault();
    event.stopPropagation();
  };
  const text = en.run.timeline.mapShown(String(loaded.fromSeq), String(loaded.toSeq), String(loaded.head));
  return (
    <div
      className="mini-map"
      role="slider"
      tabIndex={0}
      aria-label={en.run.timeline.map}
      aria-valuemin={1}
      aria-valuemax={loaded.head}
      aria-valuenow={Math.round(middle)}
      aria-valuetext={text}
      title={text}
      onPointerDown={go}
      onKeyDown={onKeyDown}
    >
      <svg viewBox={`0 0 ${String(cells.length)} 20`} preserveAspectRatio="none" aria-hidden="true">
        {cells.map(({ fromSeq, isLoaded, marks, isNotable }, at) => (
          <g key={fromSeq}>
            {isLoaded && <rect x={at} y={0} width={1} height={20} className="mini-loaded" />}
            {marks > 0 && (
              <rect
                x={at}
                y={20 - 4 - (12 * marks) / most}
                width={1}
                height={4 + (12 * marks) / most}
                className={isNotable ? "mini-notable" : "mini-marks"}
              />
            )}
          </g>
        ))}
      </svg>
    </div>
  );
}
