import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { builtProgram } from "../../built-program.ts";
import type { CliBench } from "../../cli/cli-process.ts";

const PROGRAM = builtProgram(path.join(import.meta.dirname, "..", "..", "cli", "run-cli.ts"));

/** Two steps, and a gate between them. */
export const gateFlow = (gate: string): string => `name: release
steps:
  - { name: build, task: build it, agent: dev, phase: make }
  - { name: ship, task: ship it, agent: dev, phase: out }
phases:
  - name: make
    gate: { name: release, kind: approval, ${gate} }
  - name: out
`;

/** An agent that works, and one that attacks. */
export const GATE_FILES: Readonly<Record<string, string>> = {
  "script.json": JSON.stringify({ attempts: [[{ do: "claim", ok: true, text: "done" }]] }),
  "holdfast.yaml": [
    "agents:",
    "  dev: { use: demo, script: script.json }",
    "  bad: { use: acp, command: [sh, ATTACK] }",
    "supervisor: { idleExitMs: 300, scanMs: 100 }",
    "",
  ].join("\n"),
  "plain.yaml": gateFlow("rework: [build]"),
  "closed.yaml": gateFlow("credentialed: true"),
};

/** Ways in which an agent calls the command; all but the last can be found without a sandbox. */
export const CALLS: Readonly<Record<string, string>> = {
  openly: "CALL",
  unset: "env -u HOLDFAST_ATTEMPT -u HOLDFAST_RUN -u HOLDFAST_SESSION CALL",
  emptied: `env -i PATH="$PATH" CALL`,
  grandchild: `env -i PATH="$PATH" sh -c 'sh -c "exec CALL"; :'`,
  "other session": `env -i PATH="$PATH" setsid -w CALL`,
  orphaned: `(env -i PATH="$PATH" sh -c 'sleep 0.3; exec CALL' &)`,
  hidden: `(env -i PATH="$PATH" setsid sh -c 'sleep 0.3; exec CALL' &)`,
};
export const HIDDEN = ["hidden"];

export interface GateAttack {
  readonly victim: string;
  readonly way: string;
  readonly file: string;
}

/** The ways in which each victim is attacked: a credentialed gate refuses them all for the same reason. */
export const gateAttacks = (bench: CliBench): GateAttack[] =>
  [
    ...Object.keys(CALLS).map((way) => ({ victim: "open-victim", way })),
    ...["unset", "hidden"].map((way) => ({ victim: "closed-victim", way })),
  ].map((one) => ({
    ...one,
    file: path.join(bench.root, `${one.victim}-${one.way}`.replace(" ", "-")),
  }));

/** A script that calls in every way at once, notes how each ended, and stays a while. */
export const attackScript = (bench: CliBench, attacks: readonly GateAttack[]): string =>
  [
    ...attacks.map(({ victim, way, file }) => {
      const call = `${process.execPath} ${PROGRAM} approve ${victim} --store sqlite:${bench.store}`;
      // A file that is run, so that no shell reads the words twice.
      return [
        `cat > ${file}.sh <<'END'`,
        "#!/bin/sh",
        `${call} > ${file}.out 2>&1 < /dev/null`,
        `echo $? > ${file}.code`,
        "END",
        `chmod +x ${file}.sh`,
        `${(CALLS[way] ?? "").replaceAll("CALL", `${file}.sh`)} &`,
      ].join("\n");
    }),
    "wait",
    "sleep 300",
    "",
  ].join("\n");

/** Empty while the call has not ended. */
export const codeOf = ({ file }: GateAttack): string =>
  existsSync(`${file}.code`) ? readFileSync(`${file}.code`, "utf8").trim() : "";

const ENDED_WITHIN_MS = 150_000;

export async function untilAllEnded(attacks: readonly GateAttack[]): Promise<void> {
  const open = (): string[] => attacks.filter((one) => codeOf(one) === "").map(({ file }) => file);
  for (const until = Date.now() + ENDED_WITHIN_MS; open().length > 0; await delay(100))
    assert.ok(Date.now() < until, `not ended: ${open().join(", ")}`);
}
