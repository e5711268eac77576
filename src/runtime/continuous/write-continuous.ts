import { continuousDueAt, continuousStatus } from "../../decide/continuous/continuous-due.ts";
import { evolveContinuous } from "../../decide/continuous/evolve-continuous.ts";
import { continuousAddress } from "../../model/continuous/continuous-spec.ts";
import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import type { Ports } from "../ports.ts";
import { writeShared, type SharedWrite } from "./write-shared.ts";

/** One append to the journal of a session: see `writeShared`. */
export const writeContinuous = (
  { journal, world }: Pick<Ports, "journal" | "world">,
  before: ContinuousState,
  write: SharedWrite,
): Promise<ContinuousState | null> =>
  writeShared(journal, before, {
    ...write,
    address: continuousAddress(before.name),
    evolve: evolveContinuous,
    listing: (after) => ({
      status: continuousStatus(after),
      goal: sourceOf(after),
      dueAt: continuousDueAt(after, write.at),
    }),
    before: () => world.crashPoint("continuous.append.before"),
    after: () => world.crashPoint("continuous.append.after"),
  });

function sourceOf({ spec }: ContinuousState): string {
  if (spec === null) return "";
  return spec.intake.kind === "command" ? spec.intake.command : spec.intake.path;
}
