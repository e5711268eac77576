import type { z } from "zod";
import type { conditionSchema } from "./flow-parts.ts";
import type { writtenFlowSchema } from "./flow-file.ts";

type Written = z.input<typeof writtenFlowSchema>;
type WrittenStep = Written["steps"][number];
type Short<Of, Whole> = Omit<WrittenStep, Of & string> & Whole;

/** A step of a flow in TypeScript; the shorthands of flow files are allowed here too. */
export type StepDefinition = Short<
  "inputs" | "outputs" | "when",
  {
    readonly inputs?: (string | NonNullable<WrittenStep["inputs"]>[number])[];
    readonly outputs?: (string | NonNullable<WrittenStep["outputs"]>[number])[];
    readonly when?: z.input<typeof conditionSchema> | z.input<typeof conditionSchema>[];
  }
>;

/** A flow in TypeScript. */
export type FlowDefinition = Omit<Written, "steps"> & { readonly steps: StepDefinition[] };

/** What a flow's module exports as its default: a flow, or a function that makes one for a goal. */
export function defineFlow<Flow extends FlowDefinition | ((goal: string) => FlowDefinition)>(
  flow: Flow,
): Flow {
  return flow;
}
