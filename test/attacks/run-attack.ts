import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Attack, Outcome, Stage } from "./attack.ts";

/** All attacks of the files `*.attack.ts` in this folder and below, in the order of their names; perhaps without some files. */
export async function findAttacks(without: (name: string) => boolean = () => false): Promise<Attack[]> {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".attack.ts") && !without(name))
    .sort();
  const lists = files.map(async (name) => {
    const url = pathToFileURL(path.join(import.meta.dirname, name)).href;
    const { attacks } = (await import(url)) as { attacks?: readonly Attack[] };
    if (!Array.isArray(attacks)) throw new Error(`${name} exports no list of attacks`);
    return attacks as readonly Attack[];
  });
  return (await Promise.all(lists)).flat();
}

/** Carries an attack out in an empty folder of its own. */
export async function runAttack(attack: Attack, options: Omit<Stage, "folder">): Promise<Outcome> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-attack-")));
  try {
    return await attack.run({ ...options, folder });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** What speaks against the promise; empty where it held. */
export function broken({ promised }: Attack, outcome: Outcome): string[] {
  if (outcome.kind !== "tried") return [];
  const { tried, succeeded, recorded } = outcome;
  if (tried === 0) return ["nothing was tried"];
  if (promised === "prevented") return [...succeeded];
  const missing = succeeded.length - recorded;
  return missing > 0 ? [`${String(missing)} not recorded`, ...succeeded] : [];
}
