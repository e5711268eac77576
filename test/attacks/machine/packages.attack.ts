import { tried, type Attack, type Tried } from "../attack.ts";
import {
  ALLOWED_FILE,
  lockedPackages,
  readAllowed,
  strangers,
  type LockedPackage,
} from "./locked-packages.ts";

/** Names that were given to packages which brought servers and scripts of their own. */
const SQUATS = [
  ...[
    "zodd",
    "commnader",
    "js-yamll",
    "pgg",
    "esbuiid",
    "eslintt",
    "prettler",
    "typescrlpt",
    "fast-chek",
    "nip",
  ],
  ...[
    "@types/nodee",
    "@anthropic-al/sdk",
    "opneai",
    "al",
    "node-pg",
    "yaml-js",
    "zod-js",
    "commander-js",
    "mcp-server-helper",
  ],
];

async function slipIn(): Promise<Tried> {
  const allowed = readAllowed();
  const locked = lockedPackages();
  const succeeded = strangers(locked, allowed).map((text) => `today's lock files: ${text}`);
  const [one] = locked;
  if (one === undefined) throw new Error(`no package is locked; expected those of ${ALLOWED_FILE}`);
  const planted: LockedPackage[] = [
    ...SQUATS.map((name) => ({ ...one, name, hasInstallScript: false })),
    { ...one, version: "999.0.0" },
    ...locked
      .filter(({ hasInstallScript }) => !hasInstallScript)
      .slice(0, 20)
      .map((known) => ({ ...known, hasInstallScript: true })),
    { ...one, integrity: undefined },
  ];
  for (const stranger of planted)
    if (strangers([...locked.filter((known) => known !== one), stranger], allowed).length === 0)
      succeeded.push(`${stranger.name}@${stranger.version} slipped in`);
  return tried(planted.length + locked.length, succeeded);
}

export const attacks: readonly Attack[] = [
  {
    ...{ threat: "T30", level: "any", promised: "prevented", count: { full: 1, short: 1 } },
    title:
      "a package with a similar name, another version, an install script or no digest is added to a lock file",
    run: slipIn,
  },
];
