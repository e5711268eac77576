import * as library from "@dagrejs/dagre";

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** What is used of the library, whose own types do not resolve for modules. */
interface Graph {
  setGraph(of: Readonly<Record<string, string | number>>): void;
  setDefaultEdgeLabel(label: () => object): void;
  setNode(name: string, size: Size | Record<string, never>): void;
  setParent(name: string, group: string): void;
  setEdge(from: string, to: string): void;
  node(name: string): Point;
  edges(): readonly { readonly v: string; readonly w: string }[];
  edge(of: { readonly v: string; readonly w: string }): { readonly points?: readonly Point[] };
}
const dagre = library as unknown as {
  readonly graphlib: { readonly Graph: new (of: { readonly compound: boolean }) => Graph };
  readonly layout: (graph: Graph) => void;
};

export interface GraphNode {
  readonly name: string;
  readonly needs: readonly string[];
  /** Those of one group stand together, in a box with its name. */
  readonly group?: string;
  readonly size?: Size;
}

type Box = Point & Size;

export interface Placed extends Box {
  readonly name: string;
}

export interface GraphLayout extends Size {
  readonly nodes: readonly Placed[];
  readonly groups: readonly Placed[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly points: readonly Point[];
  }[];
}

type Direction = "right" | "down";

export const NODE: Size = { width: 208, height: 62 };
const MARGIN = 8;
/** Around the nodes of a group, and above them for its name. */
const GROUP_PAD = 10;
const GROUP_HEAD = 26;
const GAP = { plain: 14, grouped: 24 } as const;
/** No node is named so: a name has no space in it. */
const groupKey = (group: string): string => `group ${group}`;

/** Nodes from left to right, or downwards, each behind what it needs. What one needs and is not there leads nowhere. */
export function layoutGraph(nodes: readonly GraphNode[], direction: Direction = "right"): GraphLayout {
  if (nodes.length === 0) return { nodes: [], groups: [], edges: [], width: 0, height: 0 };
  const graph = graphOf(nodes, direction);
  dagre.layout(graph);
  const placed = nodes.map(({ name, size = NODE }): Placed => {
    const { x, y } = graph.node(name);
    return { name, x: x - size.width / 2, y: y - size.height / 2, ...size };
  });
  const boxes = new Map(placed.map((box) => [box.name, box]));
  const edges = graph.edges().flatMap((edge) => {
    const [from, to] = [boxes.get(edge.v), boxes.get(edge.w)];
    if (from === undefined || to === undefined) return [];
    // From the middle of a side to the middle of a side; between them, around what lies there.
    const between = (graph.edge(edge).points ?? []).slice(1, -1);
    const points = [sideOf(from, direction, "leaves"), ...between, sideOf(to, direction, "arrives")];
    return [{ from: edge.v, to: edge.w, points }];
  });
  return fitted({ nodes: placed, groups: groupsOf(nodes, boxes), edges });
}

function graphOf(nodes: readonly GraphNode[], direction: Direction): Graph {
  const groups = new Set(nodes.flatMap(({ group }) => (group === undefined ? [] : [group])));
  const graph = new dagre.graphlib.Graph({ compound: groups.size > 0 });
  graph.setGraph({
    rankdir: direction === "right" ? "LR" : "TB",
    nodesep: groups.size > 0 ? GAP.grouped : GAP.plain,
    ranksep: direction === "right" ? (groups.size > 0 ? 32 : 44) : 28,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  const known = new Set(nodes.map(({ name }) => name));
  for (const group of groups) graph.setNode(groupKey(group), {});
  for (const { name, group, size = NODE } of nodes) {
    graph.setNode(name, { ...size });
    if (group !== undefined) graph.setParent(name, groupKey(group));
  }
  for (const { name, needs } of nodes)
    for (const need of needs) if (known.has(need)) graph.setEdge(need, name);
  return graph;
}

function sideOf({ x, y, width, height }: Box, direction: Direction, way: "leaves" | "arrives"): Point {
  const along = way === "leaves" ? 1 : 0;
  return direction === "right"
    ? { x: x + width * along, y: y + height / 2 }
    : { x: x + width / 2, y: y + height * along };
}

function groupsOf(nodes: readonly GraphNode[], boxes: ReadonlyMap<string, Placed>): Placed[] {
  const members = new Map<string, Placed[]>();
  for (const { name, group } of nodes) {
    const box = boxes.get(name);
    if (group !== undefined && box !== undefined) members.set(group, [...(members.get(group) ?? []), box]);
  }
  return [...members].map(([name, within]) => {
    const left = Math.min(...within.map(({ x }) => x)) - GROUP_PAD;
    const top = Math.min(...within.map(({ y }) => y)) - GROUP_HEAD;
    const width = Math.max(...within.map((box) => box.x + box.width)) + GROUP_PAD - left;
    const height = Math.max(...within.map((box) => box.y + box.height)) + GROUP_PAD - top;
    return { name, x: left, y: top, width, height };
  });
}

/** Moved so that everything stands within the margins. */
function fitted({ nodes, groups, edges }: Omit<GraphLayout, "width" | "height">): GraphLayout {
  const boxes = [...nodes, ...groups];
  const points = edges.flatMap((edge) => edge.points);
  const [lefts, tops] = [[...boxes, ...points].map(({ x }) => x), [...boxes, ...points].map(({ y }) => y)];
  const dx = MARGIN - Math.min(...lefts);
  const dy = MARGIN - Math.min(...tops);
  const moved = <P extends Point>(point: P): P => ({ ...point, x: point.x + dx, y: point.y + dy });
  const rights = [...points.map(({ x }) => x), ...boxes.map(({ x, width }) => x + width)];
  const feet = [...points.map(({ y }) => y), ...boxes.map(({ y, height }) => y + height)];
  return {
    nodes: nodes.map(moved),
    groups: groups.map(moved),
    edges: edges.map((edge) => ({ ...edge, points: edge.points.map(moved) })),
    width: Math.max(...rights) + dx + MARGIN,
    height: Math.max(...feet) + dy + MARGIN,
  };
}
