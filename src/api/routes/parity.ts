import { LOCAL_COMMANDS } from "../client/local-commands.ts";
import type { AnyRoute } from "./define-route.ts";
import { ROUTES } from "./route-table.ts";

export interface ParityRow {
  readonly command: string;
  readonly routes: readonly string[];
  /** Why there is none. */
  readonly local: string | null;
}

/** Every command with the routes, and so with the methods of the client, that do the same. */
export function parityTable(commands: readonly string[]): ParityRow[] {
  const routes: readonly AnyRoute[] = ROUTES;
  return commands.map((command) => ({
    command,
    routes: routes.filter((route) => route.commands.includes(command)).map(({ name }) => name),
    local: LOCAL_COMMANDS[command] ?? null,
  }));
}
