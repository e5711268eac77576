import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { filesBelow, maskFile } from "./files/mask-file.ts";
import type { Journal } from "./journal/journal.ts";
import { planScrub } from "./journal/scrub-plan.ts";
import { isFault } from "./model/fault.ts";
import { TASKS_FILE } from "./model/settings/own-files.ts";
import type { ValueRemover } from "./model/events/remove-value.ts";
import type { RunState } from "./model/state/run-state.ts";
import { storeFolderOf, realPlace } from "./workspace/snapshot/project-store.ts";
import { LONG_LIMIT_MS, runGit } from "./workspace/git/run-git.ts";

/** The runs, and the journals of what they share, that hold a value; those that are damaged are left out. */
export async function runsWith(journal: Journal, remover: ValueRemover): Promise<string[]> {
  const listed = [...(await journal.runs()), ...(await journal.runs({ shared: true }))];
  const holding: string[] = [];
  for (const { run } of listed)
    try {
      const { changed, mail } = await planScrub(journal, run, remover);
      if (changed.length + mail.length > 0) holding.push(run);
    } catch (error) {
      if (!isFault(error, "journal_damaged")) throw error;
    }
  return holding;
}

/** Where words of a run are, beside its journal. */
export interface ScrubSearch {
  /** Files beside the store that may hold words of the run. */
  readonly files: (state: RunState) => readonly string[];
  /** What keeps files byte for byte: checkpoints by their ids, and files; it is named and left as it is. */
  readonly exempt: (state: RunState, remover: ValueRemover) => Promise<Exempt>;
}

export interface Exempt {
  readonly checkpoints: readonly string[];
  readonly files: readonly string[];
}

export interface ScrubPlaces {
  readonly log: string;
  /** The folder of runs that were taken out of the store. */
  readonly archive: string;
}

export const scrubSearch = (sessionsFolder: string, { log, archive }: ScrubPlaces): ScrubSearch => ({
  files: filesOfRun(sessionsFolder, [log, `${log}.1`]),
  exempt: exemptOfRun(sessionsFolder, archive),
});

/** What is kept beside the store of a run's words, and what people follow it in. */
const filesOfRun =
  (sessionsFolder: string, more: readonly string[]) =>
  ({ run, cwd }: RunState): readonly string[] => [
    ...namesIn(sessionsFolder)
      .filter((name) => isOfRun(name, run))
      .map((name) => path.join(sessionsFolder, name)),
    `${sessionsFolder}-deaths`,
    path.join(cwd, TASKS_FILE),
    path.join(cwd, ".holdfast", "status", `${run}.json`),
    ...more,
  ];

/** A session's folder begins with its run's name, or with what can be in a file's name of it. */
const isOfRun = (name: string, run: string): boolean =>
  name.startsWith(`${run}.`) || name.startsWith(`${run.replaceAll(/[^A-Za-z0-9]+/g, "-")}-`);

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

/** What keeps files as they were, byte for byte. */
const exemptOfRun =
  (sessionsFolder: string, archive: string) =>
  async (state: RunState, remover: ValueRemover): Promise<Exempt> => {
    const folders = [`${sessionsFolder}-artifacts`, `${sessionsFolder}-trusted`, archive];
    const files = folders
      .flatMap(filesBelow)
      .filter((file) => maskFile(file, remover.forms, { mask: false }).count > 0);
    return { files, checkpoints: await checkpointsWith(`${sessionsFolder}-trees`, state, remover) };
  };

async function checkpointsWith(home: string, state: RunState, { forms }: ValueRemover): Promise<string[]> {
  const holding: string[] = [];
  for (const { id, project, snapshot } of Object.values(state.checkpoints)) {
    const gitDir = path.join(storeFolderOf(home, realPlace(project)), "git");
    if (existsSync(gitDir) && (await isInCommit(gitDir, snapshot.id, forms))) holding.push(id);
  }
  return holding;
}

const NOT_FOUND = 1;
/** The commit, or something of it, is gone. */
const FAILED = 128;

async function isInCommit(gitDir: string, commit: string, forms: readonly string[]): Promise<boolean> {
  // A text of several lines is looked for by its longest one: git compares line by line.
  const lines = forms.map((form) => form.split("\n").reduce((a, b) => (b.length > a.length ? b : a)));
  const args = ["grep", "--quiet", "--text", "--fixed-strings", "-f", "-", commit];
  const input = `${lines.join("\n")}\n`;
  const { code } = await runGit({
    gitDir,
    args,
    input,
    answers: [NOT_FOUND, FAILED],
    limitMs: LONG_LIMIT_MS,
  });
  return code === 0;
}
