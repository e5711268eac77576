import type { MissionState } from "../../model/mission/mission-state.ts";
import { toAccept } from "./workstreams.ts";

/** A repository that was cloned for the mission, whose accepted work nobody has had pushed. */
interface Unpushed {
  readonly repository: string;
  readonly url: string;
  readonly path: string;
  readonly branch: string;
  /** The last work that was accepted there. */
  readonly commit: string;
}

/** Work that is accepted in a clone is in nobody else's repository before a person has it pushed. */
export const unpushedWork = (state: MissionState): Unpushed[] =>
  Object.entries(state.spec?.repositories ?? {}).flatMap(([repository, { url, path, branch }]) => {
    const here = toAccept(state).filter(({ goal }) => goal.repository === repository);
    const commit = here.at(-1)?.accepted?.commit;
    const isWhole = here.every(({ accepted }) => accepted !== null);
    return url === undefined || commit === undefined || !isWhole || state.pushed[repository] === commit
      ? []
      : [{ repository, url, path, branch, commit }];
  });
