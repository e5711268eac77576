import type { World } from "../../../model/world.ts";
import type { SendOutcome } from "../../agent-driver.ts";
import type { Learned } from "../type/learn-prompt.ts";
import type { Program } from "../programs/program.ts";
import type { TerminalFolder } from "../terminal-folder.ts";

export interface WatchedOptions {
  readonly world: World;
  readonly terminal: TerminalFolder;
  readonly program: Program;
  /** Types a text, as `speak` does. */
  readonly say: (key: string, text: string) => Promise<SendOutcome>;
  /** Finds out where the program waits for text, as `learnPrompt` does; `program` knows it from then on. */
  readonly learn?: () => Promise<Learned>;
}
