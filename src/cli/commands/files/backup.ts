import path from "node:path";
import type { Command } from "commander";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";

/** The commands by which a store is copied while it is used, and put back where it was lost. */
export function addBackup(parent: Command, bind: Bind): void {
  parent
    .command("backup")
    .summary("copy the store to a folder, while runs work")
    .description(
      "Copies the store to a new folder: the journal of one moment, the snapshots of files, artifacts and what agents printed. Supervisors may work meanwhile. What was written is read back and checked. Worktrees, your configuration and what you have trusted are not part of it. For PostgreSQL use pg_dump.",
    )
    .argument("<FOLDER>", "a folder that does not exist yet")
    .addHelpText(
      "after",
      examples(
        ["backup /mnt/backups/monday", "everything that the store holds"],
        ["backup ./copy --store sqlite:./team.db", "of another store"],
      ),
    )
    .action(bind(backupTo));
  parent
    .command("restore-store")
    .summary("put a backup in the place of a lost store")
    .description(
      "Checks a backup and puts it where the store was. A store that exists is not replaced, and a process that still has it open is named. Runs continue from where the backup stands; what was finished then is not done again.",
    )
    .argument("<FOLDER>", "a folder that `backup` has made")
    .addHelpText(
      "after",
      examples(
        ["restore-store /mnt/backups/monday", "where the store was"],
        ["restore-store /mnt/backups/monday --store sqlite:./looked-at.db", "beside it, to look at"],
      ),
    )
    .action(bind(restoreFrom));
}

async function backupTo(call: Invocation, folder: string): Promise<number> {
  const { backupStore, worldHere } = await import("../../../main.ts");
  const to = path.resolve(call.surroundings.cwd, folder);
  const made = await backupStore(call.store.url, to, worldHere());
  call.output.document({ ...made, store: call.store.named });
  call.output.line(
    `${made.folder}: ${String(made.runs)} runs, ${String(made.files)} files, ${String(made.bytes)} bytes; read back and whole`,
  );
  call.output.line(`to put it back: ${call.command("restore-store", made.folder)}`);
  return EXIT.done;
}

async function restoreFrom(call: Invocation, folder: string): Promise<number> {
  const { restoreStore, worldHere } = await import("../../../main.ts");
  const from = path.resolve(call.surroundings.cwd, folder);
  const restored = await restoreStore(from, call.store.url, worldHere());
  // Says now, and not by the next command, that the anchor is ahead of the backup.
  const behind = await behindAnchor(call);
  const next = behind === null ? call.command("up", "--detach") : call.command("verify", "--accept-rollback");
  call.output.document({ ...restored, behindAnchor: behind, next });
  call.output.line(`restored ${String(restored.runs)} runs as of ${restored.madeAt}`);
  for (const kept of restored.kept) call.output.line(`left as it is, because it exists: ${kept}`);
  if (behind !== null) call.output.line(behind);
  call.output.line(`next: ${next}`);
  return EXIT.done;
}

async function behindAnchor(call: Invocation): Promise<string | null> {
  const { isFault } = await import("../../../model/fault.ts");
  try {
    await call.withSystem("empty", async () => undefined);
    return null;
  } catch (error) {
    if (isFault(error)) return error.message;
    throw error;
  }
}
