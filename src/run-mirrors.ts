import path from "node:path";
import { errorText } from "./model/fault.ts";
import { TASKS_FILE } from "./model/settings/own-files.ts";
import type { RunState } from "./model/state/run-state.ts";
import type { Mirrors, OpenTask, StatusMirror } from "./notify/notifier.ts";
import { statusFolder } from "./notify/run-folder.ts";
import type { Ports } from "./runtime/ports.ts";
import { inboxEntries } from "./views/runs/inbox.ts";
import { statusView } from "./views/status/status.ts";

/**
 * What people are shown of a run, put into the files that its settings ask for. Both are taken from the state at once:
 * it changes while files are written.
 */
export const runMirrors =
  (mirrors: Mirrors, storeNamed: string | null): NonNullable<Ports["mirror"]> =>
  async (state) => {
    const { humanTasks, status, shared } = state.settings.mirrors;
    const tasks = openTasks(state, storeNamed);
    const document = status ? structuredClone(statusView(state, storeNamed)) : null;
    const { run, cwd } = state;
    const outcomes = [
      ...(humanTasks ? [await mirrors.tasks({ file: path.join(cwd, TASKS_FILE), run, tasks, shared })] : []),
      ...(document === null ? [] : [await mirrorStatus(mirrors, { run, cwd, document, shared })]),
    ];
    return outcomes.flatMap((outcome) => (outcome.kind === "failed" ? [outcome.text] : []));
  };

async function mirrorStatus(
  mirrors: Mirrors,
  { run, cwd, ...rest }: Omit<StatusMirror, "file"> & { readonly run: string; readonly cwd: string },
): ReturnType<Mirrors["status"]> {
  try {
    return await mirrors.status({ file: path.join(await statusFolder(cwd), `${run}.json`), ...rest });
  } catch (error) {
    return { kind: "failed", text: `the status of ${run} could not be written: ${errorText(error)}` };
  }
}

const openTasks = (state: Readonly<RunState>, storeNamed: string | null): OpenTask[] =>
  inboxEntries(state, storeNamed).map(({ id, advice, detail, reason, owner, command, since }) => ({
    id: id ?? state.run,
    title: advice,
    detail,
    reason,
    owner,
    command,
    since: Date.parse(since),
  }));
