import { Fault } from "../../model/fault.ts";
import { labelsSchema, type Placement } from "../../model/host/placement.ts";
import type { Invocation } from "../shell/invocation.ts";

interface Asked {
  readonly on?: string;
  readonly labels?: string;
  readonly detach?: boolean;
}

/** Which hosts may work a run, by the words of the command line; nothing where any may. */
export function placementOf(
  { isFleet }: Pick<Invocation, "isFleet">,
  { on, labels, detach }: Asked,
): { readonly placement?: Placement } {
  if (on === undefined && labels === undefined) return {};
  const option = on === undefined ? "--labels" : "--on";
  if (!isFleet)
    throw new Fault(
      "usage",
      `${option} chooses among hosts, and the store is a file of this machine: name a store on PostgreSQL with --store, or leave it out`,
    );
  if (detach !== true)
    throw new Fault(
      "usage",
      `${option} leaves the run to a supervisor, and without --detach this command works it here: add --detach, or leave ${option} out`,
    );
  if (on === "")
    throw new Fault("usage", "--on names no host; expected a name or an id as `hosts` lists them");
  return {
    placement: {
      ...(on === undefined ? {} : { host: on }),
      ...(labels === undefined ? {} : { labels: labelsIn(labels) }),
    },
  };
}

function labelsIn(text: string): string[] {
  const words = [...new Set(text.split(",").map((word) => word.trim()))].sort();
  const parsed = labelsSchema.min(1).safeParse(words);
  if (parsed.success) return parsed.data;
  throw new Fault(
    "usage",
    `--labels "${text}" is no list of labels; expected such as gpu,linux: each at most 40 letters, digits and . _ -, at most 16 of them`,
  );
}
