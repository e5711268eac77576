import path from "node:path";
import type { System } from "../../main.ts";
import { isCode } from "../config/find-config.ts";
import type { Invocation } from "../shell/invocation.ts";
import { obeyedModule, treeOf } from "./obeyed-here.ts";
import { requireTrust } from "./require-trust.ts";
import { sourceTrust } from "./source-trust.ts";

type RunOrder = Parameters<System["createRun"]>[0];

interface Wish {
  readonly trust?: boolean | undefined;
  readonly flow?: string;
  readonly check?: readonly string[];
}

/** Lets a run begin only if what it would have obeyed is trusted; answers where it comes from, for later looks. */
export async function trustedSource(
  call: Invocation,
  order: RunOrder,
  { trust, flow, check = [] }: Wish,
): Promise<Pick<RunOrder, "source">> {
  const { cwd } = call.surroundings;
  const { config, file } = await call.loadedConfig();
  const begun = { cwd, config, configFile: file };
  const { obeying, flowFile, trust: kept } = sourceTrust(begun, order, { flow, check });
  // A flow that is found by its name is among those that `trust` looks at.
  const isElsewhere = flowFile !== undefined && flow !== undefined && path.resolve(cwd, flow) === flowFile;
  const words = isElsewhere && !isCode(flowFile) ? ["--flow", flow] : [];
  await requireTrust(call, obeying, { trust, words });
  if (order.source === undefined) return {};
  return { source: { ...order.source, trust: kept } };
}

/** A module of the repository is executed only if it is trusted, with what it imports. */
export const trustModule = (call: Invocation, file: string, wish: Pick<Wish, "trust">): Promise<void> => {
  const tree = treeOf(call.surroundings.cwd);
  const words = /[/\\]\.holdfast[/\\]flows[/\\]/.test(file)
    ? []
    : ["--flow", path.relative(call.surroundings.cwd, file)];
  return requireTrust(call, { tree, obeyed: obeyedModule(file, tree) }, { ...wish, words });
};
