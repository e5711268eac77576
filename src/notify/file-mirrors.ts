import { errorText } from "../model/fault.ts";
import { jsonText } from "../model/text/printable.ts";
import type { World } from "../model/world.ts";
import { mirrorTasks } from "./human-tasks.ts";
import { failed, readMirror, replaceWhole, underLock } from "./mirror-file.ts";
import type { MirrorOutcome, Mirrors, StatusMirror } from "./notifier.ts";

export const fileMirrors = (world: World): Mirrors => ({
  tasks: (mirror) => mirrorTasks(world, mirror),
  status: (mirror) => mirrorStatus(world, mirror),
});

/** Keeps one JSON document in a file that others may read at any time: they see a whole one, the old or the new. */
export async function mirrorStatus(
  world: World,
  { file, document, shared = false }: StatusMirror,
): Promise<MirrorOutcome> {
  try {
    const bytes = Buffer.from(`${jsonText(document, 2)}\n`);
    return await underLock(world, file, async (place) => {
      const found = await readMirror(place.target);
      if (found?.bytes.equals(bytes) === true) return { kind: "unchanged" };
      await replaceWhole(world, { ...place, bytes, like: found?.stats, shared });
      return { kind: "written" };
    });
  } catch (error) {
    return failed(`${file} could not be written: ${errorText(error)}`);
  }
}
