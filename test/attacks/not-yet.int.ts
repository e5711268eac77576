import { attacks } from "./not-yet.attack.ts";
import { testAttacks } from "./test-attacks.ts";

testAttacks(attacks);
