import { Fault } from "../model/fault.ts";

export const runNotFound = (run: string): Fault =>
  new Fault("not_found", `there is no run ${run} in this store; \`holdfast runs\` lists those there are`);
