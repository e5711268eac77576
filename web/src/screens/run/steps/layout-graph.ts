import * as library from "@dagrejs/dagre";

interface Point {
  readonly x: number;
  readonly y: number;
}

/** What is used of the library, whose own types do not resolve for modules. */
interface Graph {
  setGraph(of: Readonly<Record<string, string | number>>): void;
  setDefaultEdgeLabel(label: () => object): void;
  setNode(name: string, size: { readonly width: number; readonly height: number }): void;
  setEdge(from: string, to: string): void;
  graph(): { readonly width?: number; readonly height?: number };
  node(name: string): Point;
  edges(): readonly { readonly v: string; readonly w: string }[];
  edge(of: { readonly v: string; readonly w: string }): { readonly points?: readonly Point[] };
}
const dagre = library as unknown as {
  readonly graphlib: { readonly Graph: new () => Graph };
  readonly layout: (graph: Graph) => void;
};

export interface GraphNode {
  readonly name: string;
  readonly needs: readonly string[];
}

export interface Placed {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

export interface GraphLayout {
  readonly nodes: readonly Placed[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly points: readonly { readonly x: number; readonly y: number }[];
  }[];
  readonly width: number;
  readonly height: number;
}

export const NODE = { width: 208, height: 62 } as const;

const PORTS = {
  right: { from: { x: NODE.width / 2, y: 0 }, to: { x: -NODE.width / 2, y: 0 } },
  down: { from: { x: 0, y: NODE.height / 2 }, to: { x: 0, y: -NODE.height / 2 } },
} as const;

const moved = (point: Point, by: Point): Point => ({ x: point.x + by.x, y: point.y + by.y });

/** Steps from left to right, or downwards, each behind what it needs. What a step needs and is not there leads nowhere. */
export function layoutGraph(steps: readonly GraphNode[], direction: "right" | "down" = "right"): GraphLayout {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({
    rankdir: direction === "right" ? "LR" : "TB",
    nodesep: 14,
    ranksep: direction === "right" ? 44 : 28,
    marginx: 8,
    marginy: 8,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  const known = new Set(steps.map(({ name }) => name));
  for (const { name } of steps) graph.setNode(name, { ...NODE });
  for (const { name, needs } of steps)
    for (const need of needs) if (known.has(need)) graph.setEdge(need, name);
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    nodes: steps.map(({ name }) => {
      const { x, y } = graph.node(name);
      return { name, x: x - NODE.width / 2, y: y - NODE.height / 2 };
    }),
    edges: graph.edges().map((edge) => ({
      from: edge.v,
      to: edge.w,
      // From the middle of a side to the middle of a side; between them, around what lies there.
      points: [
        moved(graph.node(edge.v), PORTS[direction].from),
        ...(graph.edge(edge).points ?? []).slice(1, -1),
        moved(graph.node(edge.w), PORTS[direction].to),
      ],
    })),
    width: Math.max(NODE.width, width),
    height: Math.max(NODE.height, height),
  };
}
