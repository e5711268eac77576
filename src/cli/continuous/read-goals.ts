import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import path from "node:path";
import { readPlain } from "../../files/plain-file.ts";
import {
  type ContinuousSpec,
  type Goal,
  goalSchema,
  type Intake,
  type ReadIntake,
} from "../../model/continuous/continuous-spec.ts";
import { errorText, Fault } from "../../model/fault.ts";
import { planEvidence } from "./plan-order.ts";
import { readDocument } from "../config/read-document.ts";

const GOAL_BYTES_MAX = 64 * 1_024;
const COMMAND_LIMIT_MS = 60_000;
const COMMAND_BYTES_MAX = 4 * 1_024 * 1_024;
const GOALS_MAX = 10_000;

/** A goal as it is written: its words alone, or with how it is worked. */
interface Written {
  /** Where it stands, for people. */
  readonly at: string;
  readonly value: unknown;
}

/** What an intake holds now. What cannot be understood is named, and the rest is read. */
export async function readGoals(spec: ContinuousSpec): Promise<ReadIntake> {
  const written = await writtenIn(spec.intake, spec.cwd);
  const goals: Goal[] = [];
  const problems: string[] = [];
  for (const { at, value } of written.slice(0, GOALS_MAX)) {
    const read = value instanceof Error ? errorText(value) : goalOf(value);
    if (typeof read === "string") problems.push(`${at}: ${read}`);
    else goals.push(read);
  }
  if (written.length > GOALS_MAX)
    problems.push(`more than ${String(GOALS_MAX)} goals; the others are not read`);
  if (spec.idle.policy !== "plan") return { goals, problems };
  try {
    return { goals, problems, evidence: await planEvidence(spec) };
  } catch (error) {
    return { goals, problems: [...problems, errorText(error)] };
  }
}

async function writtenIn(intake: Intake, cwd: string): Promise<Written[]> {
  switch (intake.kind) {
    case "file":
      return inList(intake.path);
    case "folder":
      return inFolder(intake.path);
    case "command":
      return inLines(await printedBy(intake.command, cwd));
  }
}

function inList(file: string): Written[] {
  const { value } = readDocument(file, "the goals");
  const list: unknown = Array.isArray(value) ? value : (value as { goals?: unknown } | null)?.goals;
  if (!Array.isArray(list))
    throw new Fault(
      "config_invalid",
      `${file} has no list of goals; expected \`goals:\` with one goal per line`,
    );
  return list.map((one: unknown, at) => ({ at: `${file}: goal ${String(at + 1)}`, value: one }));
}

/** Each file is a goal, in the order of their names: text is the goal itself, and its name is the id. */
function inFolder(folder: string): Written[] {
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch (cause) {
    throw new Fault("config_invalid", `the folder of goals ${folder} cannot be read: ${errorText(cause)}`, {
      cause,
    });
  }
  return names
    .filter((name) => !name.startsWith(".") && /\.(md|txt|ya?ml|json)$/.test(name))
    .map((name) => ({ at: path.join(folder, name), value: inFile(path.join(folder, name)) }));
}

function inFile(file: string): unknown {
  const id = path.basename(file, path.extname(file)).replaceAll(/[^A-Za-z0-9._-]/g, "-");
  try {
    if (/\.(md|txt)$/.test(file)) return { id, goal: textOf(file).trim() };
    const { value } = readDocument(file, "the goal");
    return typeof value === "object" ? { id, ...value } : { id, goal: value };
  } catch (error) {
    return error;
  }
}

function textOf(file: string): string {
  const read = readPlain(file, { bytesMax: GOAL_BYTES_MAX, links: "follow" });
  if (read.kind === "read") return new TextDecoder("utf-8", { fatal: true }).decode(read.bytes);
  throw new Error(read.kind === "absent" ? "there is no such file" : read.problem);
}

const inLines = (text: string): Written[] =>
  text.split("\n").flatMap((line, at): Written[] => {
    if (line.trim() === "") return [];
    const place = `line ${String(at + 1)} of the command's output`;
    try {
      return [{ at: place, value: JSON.parse(line) }];
    } catch {
      return [{ at: place, value: new Error(`is not JSON: ${line.slice(0, 80)}`) }];
    }
  });

const printedBy = (command: string, cwd: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const limits = {
      timeout: COMMAND_LIMIT_MS,
      maxBuffer: COMMAND_BYTES_MAX,
      killSignal: "SIGKILL",
    } as const;
    execFile("/bin/sh", ["-c", command], { cwd, ...limits }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else
        reject(
          new Fault("config_invalid", `the command ${command} failed: ${lastWords(stderr) || error.message}`),
        );
    });
  });

const lastWords = (text: string): string => text.trim().slice(-500);

/** A goal, or what is wrong with it. */
function goalOf(value: unknown): Goal | string {
  const object = typeof value === "string" ? { goal: value } : value;
  if (typeof object !== "object" || object === null)
    return "expected a goal as text, or with the keys id and goal";
  const { error, data } = goalSchema.safeParse({ id: idOf(object), ...object });
  if (error === undefined) return data;
  return error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join(".")}${issue.path.length === 0 ? "" : " "}${issue.message}`)
    .join("; ");
}

/** The same goal has the same id whenever it is read. */
function idOf(goal: object): string {
  const text = JSON.stringify(Object.entries(goal).sort(([one], [other]) => (one < other ? -1 : 1)));
  return `g-${createHash("sha256").update(text).digest("hex").slice(0, 12)}`;
}
