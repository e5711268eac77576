import assert from "node:assert/strict";
import { test } from "node:test";
import { layoutGraph, NODE, type GraphNode, type Placed } from "../../../../web/src/ui/graph/layout-graph.ts";

const touches = (one: Placed, other: Placed): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;
const holds = (outer: Placed, inner: Placed): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

/** Needs back and forth between three repositories, with barriers between them. */
const MISSION: readonly GraphNode[] = [
  { name: "schema", needs: [], group: "api" },
  { name: "server", needs: ["schema", "agreed"], group: "api" },
  { name: "jobs", needs: ["server"], group: "api" },
  { name: "page", needs: ["designed"], group: "web" },
  { name: "forms", needs: ["page", "server"], group: "web" },
  { name: "app", needs: ["designed", "forms"], group: "mobile" },
  { name: "designed", needs: ["schema"], size: { width: 168, height: 48 } },
  { name: "agreed", needs: ["page", "schema"], size: { width: 168, height: 48 } },
];

test("O2 the graph over repositories keeps every workstream in the box of its repository, and nothing lies on anything else", () => {
  for (const direction of ["right", "down"] as const) {
    const { nodes, groups, edges, width, height } = layoutGraph(MISSION, direction);
    assert.deepEqual(
      groups.map(({ name }) => name),
      ["api", "web", "mobile"],
    );
    for (const [at, one] of nodes.entries()) {
      const { name, group } = MISSION[at] ?? { name: "", group: "" };
      assert.equal(one.name, name);
      for (const other of nodes.slice(at + 1)) assert.ok(!touches(one, other), `${name} and ${other.name}`);
      for (const box of groups) {
        if (box.name === group) assert.ok(holds(box, one), `${name} in ${box.name}`);
        else assert.ok(!touches(box, one), `${direction}: ${name} lies on the box of ${box.name}`);
      }
    }
    for (const [at, one] of groups.entries())
      for (const other of groups.slice(at + 1))
        assert.ok(!touches(one, other), `${direction}: ${one.name} and ${other.name}`);
    const needs = MISSION.flatMap(({ name, needs: of }) => of.map((need) => `${need} ${name}`));
    assert.deepEqual(edges.map(({ from, to }) => `${from} ${to}`).sort(), needs.sort());
    const all: Placed = { name: "", x: 0, y: 0, width, height };
    for (const box of [...nodes, ...groups]) assert.ok(holds(all, box), `${box.name} is within the graph`);
  }
});

test("O2 a graph without groups goes on from what a step needs, and one of nothing is empty", () => {
  const { nodes, groups } = layoutGraph([
    { name: "build", needs: [] },
    { name: "ship", needs: ["build", "not-there"] },
  ]);
  const [build, ship] = nodes;
  assert.deepEqual([groups.length, build?.width], [0, NODE.width]);
  assert.ok((ship?.x ?? 0) >= (build?.x ?? 0) + NODE.width);
  assert.deepEqual(layoutGraph([]), { nodes: [], groups: [], edges: [], width: 0, height: 0 });
});
