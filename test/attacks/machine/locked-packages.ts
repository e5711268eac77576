/**
 * The packages of the lock files, held against the list in `packages.txt` beside this file. A package that is new, or in
 * a new version, is not allowed until a person has looked at it and put it there:
 * `node scripts/on-node.mjs node test/attacks/machine/locked-packages.ts > test/attacks/machine/packages.txt`.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { isStarted } from "../../built-program.ts";

export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string | undefined;
  readonly hasInstallScript: boolean;
}

const REPOSITORY = path.join(import.meta.dirname, "..", "..", "..");
export const ALLOWED_FILE = path.join(import.meta.dirname, "packages.txt");
/** What Holdfast is built and used with; the real agents of the tests are held in lock files of their own. */
const LOCKS = ["package-lock.json", "toolchain/package-lock.json"];
/** One bundler fetches its own program so; nothing that Holdfast runs with does. */
const INSTALL_SCRIPTS_MAX = 1;

interface Lock {
  readonly packages: Readonly<
    Record<string, { version?: string; integrity?: string; hasInstallScript?: boolean; link?: boolean }>
  >;
}

export function lockedPackages(): LockedPackage[] {
  const all = LOCKS.flatMap((file) => {
    const { packages } = JSON.parse(readFileSync(path.join(REPOSITORY, file), "utf8")) as Lock;
    return Object.entries(packages)
      .filter(([place]) => place !== "")
      .map(([place, { version = "", integrity, hasInstallScript = false }]) => {
        const name = place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
        return { name, version, integrity, hasInstallScript };
      });
  });
  const lines = new Map(all.map((one) => [lineOf(one), one]));
  return [...lines.keys()].sort().flatMap((line) => lines.get(line) ?? []);
}

const lineOf = ({ name, version, integrity = "no digest", hasInstallScript }: LockedPackage): string =>
  `${name}@${version} ${integrity}${hasInstallScript ? " runs a script when it is installed" : ""}`;

export const readAllowed = (): ReadonlySet<string> =>
  new Set(readFileSync(ALLOWED_FILE, "utf8").split("\n").filter(Boolean));

/** What speaks against the packages, one sentence each. */
export function strangers(packages: readonly LockedPackage[], allowed: ReadonlySet<string>): string[] {
  const scripts = packages.filter(({ hasInstallScript }) => hasInstallScript);
  return [
    ...packages
      .map(lineOf)
      .filter((line) => !allowed.has(line))
      .map((line) => `${line} is not in ${ALLOWED_FILE}`),
    ...(scripts.length > INSTALL_SCRIPTS_MAX
      ? [`${scripts.map(({ name }) => name).join(", ")} run scripts when they are installed`]
      : []),
  ];
}

if (isStarted(import.meta.filename)) console.log(lockedPackages().map(lineOf).join("\n"));
