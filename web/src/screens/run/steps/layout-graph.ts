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

/** Steps from left to right, each behind what it needs. What a step needs and is not there leads nowhere. */
export function layoutGraph(steps: readonly GraphNode[]): GraphLayout {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 14, ranksep: 44, marginx: 8, marginy: 8 });
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
      points: graph.edge(edge).points ?? [],
    })),
    width: Math.max(NODE.width, width),
    height: Math.max(NODE.height, height),
  };
}
