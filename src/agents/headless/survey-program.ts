import { execFile } from "node:child_process";
import { inheritedEnvironment } from "../inherited-environment.ts";
import { findProgram } from "../find-program.ts";
import type { HeadlessAgent } from "./headless-agent.ts";

/** Whether a program is here, and which version. */
export interface ProgramSurvey {
  readonly path: string | null;
  readonly version: string | null;
}

/** However slow the machine is: a program that does not tell its version by then is of an unknown one. */
const VERSION_LIMIT_MS = 20_000;
const VERSION = /\d{1,9}\.\d{1,9}\.\d{1,9}[\w.+-]{0,40}/;

export async function surveyProgram(agent: HeadlessAgent): Promise<ProgramSurvey> {
  const file = findProgram(agent.program, process.env["PATH"], process.cwd());
  if (file === undefined) return { path: null, version: null };
  return { path: file, version: await versionOf(file, agent) };
}

function versionOf(file: string, { env }: HeadlessAgent): Promise<string | null> {
  return new Promise((resolve) => {
    const child = execFile(
      file,
      ["--version"],
      {
        timeout: VERSION_LIMIT_MS,
        killSignal: "SIGKILL",
        env: { ...inheritedEnvironment(process.env, {}), ...env },
      },
      (_error, stdout) => resolve(VERSION.exec(stdout)?.[0] ?? null),
    );
    // Some wait for it to be closed.
    child.stdin?.end();
  });
}
