// Brings files up to date, for tests that run several such processes or kill one. Arguments: a JSON array of updates.
import { fileMirrors } from "../../src/notify/file-mirrors.ts";
import type { TaskMirror } from "../../src/notify/notifier.ts";
import { crashOptionsFrom, realWorld } from "../../src/real-world.ts";

export type Update = TaskMirror | { readonly file: string; readonly document: unknown };

const mirrors = fileMirrors(realWorld(crashOptionsFrom(process.env)));
for (const update of JSON.parse(process.argv[2] ?? "") as Update[]) {
  const outcome =
    "document" in update
      ? await mirrors.status({ file: update.file, document: update.document })
      : await mirrors.tasks(update);
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}
