import { existsSync } from "node:fs";
import path from "node:path";
import { findAttacks } from "./run-attack.ts";
import { testAttacks } from "./test-attacks.ts";

/** A file of attacks may have a file of tests of its own. */
const hasTests = (name: string): boolean =>
  existsSync(path.join(import.meta.dirname, name.replace(/\.attack\.ts$/, ".int.ts")));

// The short form of all others; `npm run chaos:attacks` has the long one of every attack.
testAttacks(await findAttacks(hasTests));
