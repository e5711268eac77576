import { useEffect, useRef, type ReactElement } from "react";
import UPlot, { type AlignedData, type Series } from "uplot";
import { tickText } from "../timeline/tick-text.ts";
import { useWidth } from "../timeline/use-width.ts";

export interface Line {
  readonly label: string;
  /** A colour of the tokens. */
  readonly token: string;
  readonly values: readonly (number | null)[];
  readonly isDashed?: boolean;
}

interface ChartProps {
  readonly label: string;
  readonly at: readonly number[];
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
}

const HEIGHT_PX = 180;

/** Lines over time. What they say stands beside it as text: a chart alone is nothing to who does not see it. */
export function LineChart({ label, at, lines, format }: ChartProps): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const style = getComputedStyle(element);
    const colour = (token: string): string =>
      style.getPropertyValue("--chart-probe") || resolved(element, token);
    const series: Series[] = [
      { value: (_: UPlot, at: number | null) => (at === null ? "–" : tickText(at * 1_000, Date.now())) },
      ...lines.map(({ label: name, token, isDashed = false }) => ({
        label: name,
        stroke: colour(token),
        width: 2,
        spanGaps: true,
        points: { show: at.length < 3 },
        value: (_: UPlot, value: number | null) => (value === null ? "–" : format(value)),
        ...(isDashed ? { dash: [6, 4] } : {}),
      })),
    ];
    const axis = {
      stroke: colour("--muted"),
      grid: { stroke: colour("--border"), width: 1 },
      ticks: { show: false },
      font: "12px system-ui",
    };
    const chart = new UPlot(
      {
        width,
        height: HEIGHT_PX,
        padding: [4, 12, 0, 0],
        series,
        axes: [
          { ...axis, size: 26, values: (_, times) => times.map((at) => tickText(at * 1_000, Date.now())) },
          { ...axis, size: 64, values: (_, values) => values.map(format) },
        ],
        cursor: { y: false },
        scales: { y: { range: (_, min, max) => [Math.min(0, min), max <= 0 ? 1 : max * 1.1] } },
      },
      [at, ...lines.map(({ values }) => values)] as unknown as AlignedData,
      element,
    );
    // What the lines have come to, until a place of them is pointed at.
    const drawn = requestAnimationFrame(() => chart.setLegend({ idx: at.length - 1 }));
    return () => {
      cancelAnimationFrame(drawn);
      chart.destroy();
    };
  }, [at, lines, format, width]);
  return <div className="line-chart" ref={box} role="img" aria-label={label} />;
}

/** The colour as it is drawn: a canvas knows no `light-dark()`. */
function resolved(element: HTMLElement, token: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${token})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
