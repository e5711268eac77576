import type { EventData } from "../../model/events/events.ts";

const NAMED_MAX = 5;

/** How a run goes from one host to another, in plain words. */
export const DESCRIBE_MOVES = {
  RunMoved: ({ from, to, left, by, carried }: EventData<"RunMoved">): string =>
    carried === undefined
      ? `${by} starts it over on ${to.name}: what was done in ${left.join(", ")} stays on ${from.name}`
      : `goes on on ${to.name} with its files as of checkpoint ${carried.checkpoint}; what was done later in ${left.join(", ")} stays on ${from.name}`,
  FilesUploaded: ({ checkpoint, left, conversations }: EventData<"FilesUploaded">): string =>
    `checkpoint ${checkpoint} is on the shared remote, with ${String(conversations.length)} conversation${conversations.length === 1 ? "" : "s"}${leftText(left)}`,
  UploadFailed: ({ checkpoint, why, tries }: EventData<"UploadFailed">): string =>
    `checkpoint ${checkpoint} could not be copied to the shared remote (try ${String(tries)}), and is tried again: ${why}`,
} as const;

function leftText({ count, paths }: EventData<"FilesUploaded">["left"]): string {
  if (count === 0) return "";
  const named = paths.slice(0, NAMED_MAX).map(({ path, why }) => `${path} (${why})`);
  const more = count > named.length ? ` and ${String(count - named.length)} more` : "";
  return `; left behind: ${named.join(", ")}${more}`;
}
