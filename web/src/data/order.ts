import type { InputOf } from "../../../src/api/client/client.ts";
import type { CallName } from "./source.ts";

/** Something that a person asks for: a route that writes, what it is called with, and the command that does the same. */
export type Order = {
  readonly [Name in CallName]: {
    readonly route: Name;
    readonly input: InputOf<Name>;
    /** The command line that asks the same; null where there is none. */
    readonly command: string | null;
    /** In a few words, for the answer: `approve fix-login`. */
    readonly title: string;
  };
}[CallName];
