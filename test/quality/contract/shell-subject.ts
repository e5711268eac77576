import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { membersOf } from "../../../src/agents/keeper/session-members.ts";
import { CHECK_VARIABLE } from "../../../src/quality/shell/check-process.ts";
import { shellQuality } from "../../../src/quality/shell/shell-quality.ts";
import { realWorld } from "../../../src/real-world.ts";
import type { Behaviour, QualityScene, QualitySubject } from "./subject.ts";

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export const aliveOf = (key: string): readonly number[] => {
  const mark = createHash("sha256").update(key).digest("hex").slice(0, 32);
  const found = membersOf(`${CHECK_VARIABLE}=${mark}`, undefined);
  if (found === "unknown") throw new Error("the process table could not be read");
  return found.map((row) => row.pid);
};

export async function openShellScene(): Promise<QualityScene> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-quality-"));
  return {
    quality: shellQuality({
      world: realWorld(),
      marked: (entry) => Promise.resolve(membersOf(entry, undefined)),
      graceMs: 300,
    }),
    folder,
    alive: (key) => aliveOf(key).length,
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

export const shellSubject: QualitySubject = {
  name: "shell",
  command(behaviour: Behaviour) {
    switch (behaviour.kind) {
      case "exits":
        return `printf %s ${quoted(behaviour.prints)}; exit ${String(behaviour.code)}`;
      case "floods":
        return `yes ${quoted(behaviour.text.trimEnd())} | head -n ${String(behaviour.times)}`;
      case "hangs":
        return `${behaviour.deaf ? "trap '' TERM; " : ""}printf %s ${quoted(behaviour.prints)}; while :; do sleep 1; done`;
      case "cannot run":
        return "./no-such-program-here";
    }
  },
  open: openShellScene,
};
