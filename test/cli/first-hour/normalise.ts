import { hostname, userInfo } from "node:os";

/** Text as it is the same on every machine and at every time: ids are numbered in their order, times and paths named. */
export class Normaliser {
  readonly #places: readonly (readonly [string, string])[];
  readonly #ids = new Map<string, string>();

  constructor(places: Readonly<Record<string, string>>) {
    this.#places = Object.entries(places);
  }

  of(text: string): string {
    let plain = text;
    for (const [place, name] of this.#places) plain = plain.replaceAll(place, name);
    return (
      plain
        .replaceAll(/\brun_[0-9a-z]{20}\b/g, (id) => this.#named("run", id))
        .replaceAll(/\b(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{12})\b/g, (hash) =>
          this.#named("hash", hash.slice(0, 7)),
        )
        .replaceAll(/(?<=\[\S+ |commit |HEAD is now at |^)[0-9a-f]{7}\b/gm, (hash) =>
          this.#named("hash", hash),
        )
        .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, "<time>")
        .replaceAll(/\b\d\d:\d\d:\d\d\b/g, "<hour>")
        .replaceAll(/\w{3} \w{3} \d+ <hour> \d{4} [+-]\d{4}/g, "<date>")
        .replaceAll(/\b(pid|PID) \d+/g, "$1 <pid>")
        .replaceAll(/\bevent \d+\b/g, "event <n>")
        .replaceAll(/\b\d+ events\b/g, "<n> events")
        .replaceAll(/\b\d+ files, \d+ bytes\b/g, "<n> files, <n> bytes")
        .replaceAll(/^<\d+:\d+>/gm, "<prompt>")
        .replaceAll(new RegExp(`\\b(on|by) ${hostname()}\\b`, "g"), "$1 <host>")
        .replaceAll(new RegExp(`\\b(by|from) ${userInfo().username}\\b`, "g"), "$1 <user>")
        .replaceAll(new RegExp(`(?<=<hour> {2})${userInfo().username}(?= asks:)`, "g"), "<user>")
        .replaceAll(/(?<![\w.])\d+(\.\d+)? (ms|s|min|h)( \d+ (s|min))?(?=[ ,;.)]|$)/gm, "<duration>")
        .replaceAll(/\bports \d+-\d+/g, "ports <ports>")
        .replaceAll(/-[0-9a-f]{8}(?=\/)/g, "-<digest>")
        .replaceAll(/\bv?24\.\d+\.\d+\b/g, "<node>")
        .replaceAll(/(?<=\badded )\d+(?= packages)/g, "<n>")
        .replaceAll(/(?<=packages in )\w+/g, "<duration>")
        .replaceAll(/\b(git version|tmux|bubblewrap) \d[\w.]*/g, "$1 <version>")
        // Columns are as wide as what stands in them.
        .replaceAll(/^(?:(?=.*<)(?=\S).*|[A-Z]+ {2,}[A-Z].*)$/gm, (line) => line.replaceAll(/ {2,}/g, "  "))
        .replaceAll(/^([a-z]+(?: (?:it|on|for))?) {2,}(?=\S)/gm, "$1  ")
        .replaceAll(
          /^(no supervisor was running here|the supervisor with pid <pid> has ended)$/gm,
          "<no supervisor is left>",
        )
        // Who worked a run has let go of it, or will in a moment.
        .replaceAll(/^supervised {2}(supervised by|the supervisor) pid <pid> on <host>.*\n/gm, "")
        // Said where the run has not ended before the answer was read.
        .replaceAll(/^the supervisor with pid <pid> runs it\nsee holdfast events \S+ --follow$\n?/gm, "")
        // What this machine can do to stay awake.
        .replaceAll(/^awake .*\n/gm, "")
        .replaceAll(/[ \t]+$/gm, "")
    );
  }

  #named(kind: string, id: string): string {
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    const name = `<${kind} ${String([...this.#ids.values()].filter((one) => one.startsWith(`<${kind}`)).length + 1)}>`;
    this.#ids.set(id, name);
    return name;
  }
}
