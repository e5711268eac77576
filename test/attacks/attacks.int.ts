import { findAttacks } from "./run-attack.ts";
import { testAttacks } from "./test-attacks.ts";

// The short form of every attack; `npm run chaos:attacks` has the long one.
testAttacks(await findAttacks());
