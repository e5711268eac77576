import { placementSchema, type Placement } from "../../model/host/placement.ts";

/** What of a host decides which runs it may take. */
export interface PlacedHost {
  readonly id: string;
  readonly name: string;
  readonly labels: readonly string[];
}

/** Whether a host may take a run that asks for this: it is the one that is named, and has every label. */
export function mayTake(asked: Placement | undefined, host: PlacedHost): boolean {
  const { host: named, labels = [] } = asked ?? {};
  const isNamed = named === undefined || named === host.id || named === host.name;
  return isNamed && labels.every((label) => host.labels.includes(label));
}

/**
 * Those of the placements that queued runs ask for, as they stand in the store, which a host may take. One that cannot
 * be read was written by a newer version: it is left to hosts of that version.
 */
export const takenBy = (asked: readonly string[], host: PlacedHost): string[] =>
  asked.filter((text) => {
    const placement = placementIn(text);
    return placement !== null && mayTake(placement, host);
  });

function placementIn(text: string): Placement | null {
  try {
    const parsed = placementSchema.strict().safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
