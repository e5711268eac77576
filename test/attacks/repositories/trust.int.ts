import { attacks } from "./trust.attack.ts";
import { testAttacks } from "../test-attacks.ts";

testAttacks(attacks);
