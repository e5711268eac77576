import type { System } from "../../main.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { Invocation } from "../shell/invocation.ts";

type Scrubs = Awaited<ReturnType<System["scrubsOf"]>>;

/** What a run has on record about values that people removed from it, for programs. */
export const scrubsView = (scrubs: Scrubs): object[] =>
  scrubs.map(({ seq, at, by, from, count, before, after, finished }) => ({
    event: seq,
    at: isoTime(at),
    by,
    from,
    count,
    before,
    after,
    finished,
  }));

/** The same in words. Hashes that somebody noted before differ from then on, and that is how they differ. */
export function describeScrubs(call: Invocation, run: string, scrubs: Scrubs): void {
  for (const { seq, at, by, from, count, before, after, finished } of scrubs) {
    const what =
      from === null
        ? "no event was changed"
        : `${String(count)} event${count === 1 ? " was" : "s were"} changed, the first is ${String(from)}; event ${String(before.seq)} was ${before.hash} and became ${after.hash}`;
    call.output.line(
      `${run}: ${by} removed a value with \`holdfast scrub\` (event ${String(seq)}, ${isoTime(at)}): ${what}`,
    );
    if (!finished)
      call.output.line(
        `${run}: that removal was interrupted, and the value may be left in files; finish it: ${call.command("scrub", run, "--yes")}`,
      );
  }
}
