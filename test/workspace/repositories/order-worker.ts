// Carries out orders to a workspace that its parent sends, each as a process of its own would: opened before, closed
// after. An order may name the boundary at which this process dies.
import { realWorld } from "../../../src/real-world.ts";
import { gitWorkspace } from "../../../src/workspace/git-workspace.ts";
import type { Given, OrderAnswer } from "./order-giver.ts";

async function carryOut({ home, method, order, crashAt }: Given): Promise<OrderAnswer> {
  const workspace = gitWorkspace({ home, world: realWorld(crashAt === undefined ? {} : { crashAt }) });
  const orders = workspace as unknown as Readonly<Record<string, (...order: unknown[]) => Promise<unknown>>>;
  try {
    return { answer: (await orders[method]?.(...order)) ?? null };
  } catch (error) {
    return { fault: String(error) };
  } finally {
    await workspace.close();
  }
}

process.on("message", (given: Given) => {
  void carryOut(given).then((answer) => process.send?.(answer));
});
