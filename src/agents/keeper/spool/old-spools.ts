import { existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { folderBytes } from "../../../files/folder-size.ts";

/** What is left on disk of a session. */
export interface OldSpool {
  readonly session: string;
  readonly folder: string;
  readonly bytes: number;
}

/** Folders of sessions whose name is the session's own; a name that had to be shortened does not show whose it is. */
export const spoolsIn = (sessions: string): OldSpool[] =>
  (existsSync(sessions) ? readdirSync(sessions, { withFileTypes: true }) : [])
    .filter((entry) => entry.isDirectory() && !entry.name.includes("~"))
    .map(({ name }) => ({
      session: name,
      folder: path.join(sessions, name),
      bytes: folderBytes(path.join(sessions, name)),
    }));

export const removeSpool = ({ folder }: OldSpool): void => {
  rmSync(folder, { recursive: true, force: true });
};
