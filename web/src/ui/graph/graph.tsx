import type { ReactElement, ReactNode } from "react";
import { visibleLine } from "../untrusted-text.ts";
import type { GraphLayout } from "./layout-graph.ts";

interface GraphProps {
  readonly label: string;
  readonly layout: GraphLayout;
  /** Whether what an edge stands for is there already; a dashed one is waited for. */
  readonly isThere?: (from: string, to: string) => boolean;
  /** The nodes, each at its place. */
  readonly children: ReactNode;
}

/** Edges and groups of a graph below its nodes. It scrolls in its own box, also by the arrow keys. */
export const Graph = ({ label, layout, isThere, children }: GraphProps): ReactElement => (
  <div className="graph" tabIndex={0} role="group" aria-label={label}>
    <div className="graph-space" style={{ width: layout.width, height: layout.height }}>
      {layout.groups.map(({ name, x, y, width, height }) => (
        <div key={name} className="graph-group" style={{ left: x, top: y, width, height }} aria-hidden="true">
          <span className="graph-group-name clip small">{visibleLine(name, 60)}</span>
        </div>
      ))}
      <svg width={layout.width} height={layout.height} aria-hidden="true">
        {layout.edges.map(({ from, to, points }) => (
          <polyline
            key={`${from} ${to}`}
            className={isThere?.(from, to) === false ? "graph-edge graph-edge-waits" : "graph-edge"}
            points={points.map(({ x, y }) => `${String(x)},${String(y)}`).join(" ")}
          />
        ))}
      </svg>
      {children}
    </div>
  </div>
);
