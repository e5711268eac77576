import type { ProgramState } from "../../src/model/state/program-state.ts";
import type { RunState } from "../../src/model/state/run-state.ts";

/** What a run of a program knows of it; undefined where there is no such run yet. */
export const programOf = (state: RunState | null | undefined): ProgramState | undefined =>
  state?.kind === "program" ? state.program : undefined;
