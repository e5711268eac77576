/** A thread of its own for simulated lives; see `simulateApart`. */
import { parentPort } from "node:worker_threads";
import { INJECTED_BUGS, type InjectedBugName } from "../bugs/bugs.ts";
import type { SimOptions, SimResult } from "./sim-options.ts";
import { simulate } from "./simulate.ts";

export interface ApartOrder extends Omit<SimOptions, "plant"> {
  readonly plant?: InjectedBugName;
}
export type ApartAnswer = { readonly result: SimResult } | { readonly error: string };

parentPort?.on("message", ({ plant, ...options }: ApartOrder) => {
  simulate({ ...options, ...(plant === undefined ? {} : { plant: INJECTED_BUGS[plant] }) }).then(
    (result) => parentPort?.postMessage({ result } satisfies ApartAnswer),
    (error: unknown) => {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      parentPort?.postMessage({ error: text } satisfies ApartAnswer);
    },
  );
});
