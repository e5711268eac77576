import { Fault } from "../model/fault.ts";
import type { AnyWorkflow, WorkflowFunction } from "./workflow-function.ts";
import { checkKeys } from "./check-run-options.ts";

export interface DefineOptions {
  /** A run keeps the version it was begun with: define the workflow functions of runs under way beside the newest. */
  readonly version?: number;
}

interface Registered {
  readonly name: string;
  readonly version: number | undefined;
  readonly workflow: AnyWorkflow;
}

/** What a run was begun with. */
export interface PinnedProgram {
  readonly name: string | null;
  readonly version?: number | undefined;
}

/** The workflow functions that a program has given names, each in one version or several. */
export class RegisteredPrograms {
  #all: Registered[] = [];

  define(name: string, workflow: AnyWorkflow, options: DefineOptions): void {
    const { version } = options;
    if (typeof name !== "string" || name === "" || typeof workflow !== "function")
      throw new Fault(
        "usage",
        `define was given ${typeof name === "string" ? `"${name}"` : typeof name} and ${typeof workflow}; expected a name and a function: hf.define("triage", async (run, input) => …)`,
      );
    checkKeys(`define("${name}")`, options, ["version"]);
    if (version !== undefined && (!Number.isSafeInteger(version) || version < 1))
      throw new Fault(
        "usage",
        `the version of "${name}" is ${String(version)}; expected a whole number above 0`,
      );
    this.#all = [
      ...this.#all.filter((one) => one.name !== name || one.version !== version),
      { name, version, workflow },
    ];
  }

  /** How a workflow function was registered; undefined if it was not. */
  of(workflow: AnyWorkflow): PinnedProgram | undefined {
    const found = this.#all.findLast((one) => one.workflow === workflow);
    return found === undefined ? undefined : { name: found.name, version: found.version };
  }

  /** The version that new runs of a name begin with; undefined where it has none. */
  newest(name: string): number | undefined {
    const versions = this.#all.flatMap((one) => (one.name === name ? [one.version ?? 0] : []));
    const version = Math.max(0, ...versions);
    return version === 0 ? undefined : version;
  }

  /**
   * The workflow function for what a run was begun with: exactly that version. One begun without goes on with the
   * oldest.
   */
  find({ name, version }: PinnedProgram): AnyWorkflow | undefined {
    const versions = this.#all
      .filter((one) => one.name === name)
      .sort((a, b) => (a.version ?? 0) - (b.version ?? 0));
    return version === undefined
      ? versions[0]?.workflow
      : versions.find((one) => one.version === version)?.workflow;
  }

  /**
   * The workflow function that goes on with a run: the one given, unless it is registered and the run was begun with
   * another version.
   */
  forRun(run: string, given: WorkflowFunction<unknown>, pinned: PinnedProgram): WorkflowFunction<unknown> {
    const known = this.of(given);
    if (known === undefined || known.name !== pinned.name || known.version === pinned.version) return given;
    const found = this.find(pinned);
    if (found !== undefined) return found as WorkflowFunction<unknown>;
    const defined = this.#all
      .filter(({ name }) => name === pinned.name)
      .map(({ version }) => String(version));
    throw new Fault(
      "diverged",
      `${run} was begun with version ${String(pinned.version)} of "${String(pinned.name)}"; defined are: ${defined.join(", ")}; define the older function beside: hf.define("${String(pinned.name)}", …, { version: ${String(pinned.version)} })`,
      { retry: "after-human" },
    );
  }
}
