import type { StartOrder } from "../agent-driver.ts";
import type { FunctionOrder } from "./function-context.ts";

/** What the driver leaves in the session's folder for the program that runs the function. */
export interface ModuleOrder extends FunctionOrder {
  /** The whole path of the module. */
  readonly module: string;
  readonly name: string;
}

export const moduleOrder = (order: StartOrder, module: string, name: string): ModuleOrder => {
  const { run, step, attempt, number, task, cwd } = order;
  return { run, step, attempt, number, task, cwd, module, name };
};

/** Flags that belong to the program this process runs, and not to how it loads modules. */
const NOT_INHERITED = /^(--inspect|--test|--watch|--cpu-prof|--heap-prof|--env-file|--check|-c$)/;
const CODE = new Set(["-e", "--eval", "-p", "--print", "-pe"]);

/** How this process loads modules (`--import`, `--conditions`, …), so that a user's module loads there as it would here. */
export function nodeFlags(execArgv: readonly string[]): readonly string[] {
  return execArgv.filter(
    (flag, index) =>
      !NOT_INHERITED.test(flag) &&
      !CODE.has(flag) &&
      !CODE.has(index === 0 ? "" : (execArgv[index - 1] ?? "")),
  );
}
