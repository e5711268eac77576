import type { World } from "../../../model/world.ts";
import type { Program } from "../programs/program.ts";
import type { TerminalFolder } from "../terminal-folder.ts";
import type { TmuxClient } from "../tmux-client.ts";

/** One program in its terminal, as those who type into it see it. */
export interface Speaking {
  readonly world: World;
  readonly tmux: TmuxClient;
  readonly terminal: TerminalFolder;
  readonly program: Program;
}
