// Carries out orders to a workspace that its parent sends, each as a process of its own would: opened before, closed
// after. An order may name the boundary at which this process dies, or waits until its parent has acted.
import { readSync, writeSync } from "node:fs";
import type { World } from "../../../src/model/world.ts";
import { realWorld } from "../../../src/real-world.ts";
import { gitWorkspace } from "../../../src/workspace/git-workspace.ts";
import { fileGuard } from "../../../src/workspace/protect/file-guard.ts";
import { HELD_FD, type Given, type OrderAnswer } from "./order-giver.ts";

type Orders = Readonly<Record<string, (...order: unknown[]) => Promise<unknown>>>;

async function carryOut({ home, method, order, crashAt, pauseAt }: Given): Promise<OrderAnswer> {
  const real = realWorld(crashAt === undefined ? {} : { crashAt });
  const world: World = pauseAt === undefined ? real : { ...real, crashPoint: pausing(pauseAt) };
  const workspace = gitWorkspace({ home, world });
  const orders = { ...fileGuard({ world, folder: `${home}-guard` }), ...workspace } as unknown as Orders;
  try {
    return { answer: (await orders[method]?.(...order)) ?? null };
  } catch (error) {
    return { fault: String(error) };
  } finally {
    await workspace.close();
  }
}

function pausing({ name, occurrence }: NonNullable<Given["pauseAt"]>): (passed: string) => void {
  let times = 0;
  return (passed) => {
    if (passed !== name) return;
    times += 1;
    if (times !== occurrence) return;
    writeSync(HELD_FD, "p");
    readSync(HELD_FD, new Uint8Array(1));
  };
}

process.on("message", (given: Given) => {
  void carryOut(given).then((answer) => process.send?.(answer));
});
