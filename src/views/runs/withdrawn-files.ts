import { commandText } from "../../model/text/command-text.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** A protected file of the user's own tree that was made or changed while agents worked there, and was undone. */
export interface WithdrawnView {
  readonly tree: string;
  readonly path: string;
  readonly act: string;
  readonly at: string;
  /** Returns it, and trusts it as it is. */
  readonly command: string;
}

/** In a worktree nobody but agents works: only what may be a person's is shown. */
export const withdrawnFiles = (state: RunState, store: string | null): WithdrawnView[] =>
  Object.entries(state.guards)
    .filter(([tree]) => tree === state.workspace.root || tree === state.workspace.worktree?.project)
    .flatMap(([tree, { withdrawn }]) =>
      withdrawn.map(({ path, act, at }) => ({
        tree,
        path,
        act,
        at: isoTime(at),
        command: commandText(["trust", state.run, "--return", path], store),
      })),
    );

export const withdrawnText = ({ path, act, command }: WithdrawnView): string =>
  `${path} was ${act} while an agent worked; it was undone and is kept: if it is yours: ${command}`;
