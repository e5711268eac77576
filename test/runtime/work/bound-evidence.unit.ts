import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ports } from "../../../src/runtime/ports.ts";
import { withBoundTree } from "../../../src/runtime/work/bound-evidence.ts";
import type { SnapshotOrder } from "../../../src/workspace/workspace.ts";

test("G6 evidence is bound to the tree as it is then: what was kept under the same name before is replaced", async () => {
  const orders: SnapshotOrder[] = [];
  const ports = {
    world: { crashPoint: () => undefined },
    workspace: {
      snapshot: (order: SnapshotOrder) => {
        orders.push(order);
        return Promise.resolve({ id: "seen", digest: "as it is" });
      },
      look: () => Promise.resolve({ moved: null }),
    },
  } as unknown as Ports;
  const bound = { tree: "/work", at: 1, slot: "gate", writes: [] };
  await withBoundTree(ports, { bound }, "run_1", () => Promise.resolve({ kind: "done" }));
  const named = orders.map(({ key, again }) => ({ key, again }));
  assert.deepEqual(named, [{ key: "run_1/gate", again: true }]);
});
