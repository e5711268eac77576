import { mkdirSync } from "node:fs";
import { errorText, Fault } from "../../model/fault.ts";

/** A folder of this user alone, with those above it. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Fault(
      "store_unavailable",
      `the folder ${folder} cannot be made: ${errorText(error)}; name another with HOLDFAST_HOME or --store`,
      { cause: error },
    );
  }
}
