import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import type { System } from "../../main.ts";
import { Fault } from "../../model/fault.ts";
import { missionProblems, needsOrder } from "../../model/mission/mission-problems.ts";
import {
  MISSION_NAME,
  missionFileSchema,
  type MissionFile,
  type MissionRepository,
  type MissionSpec,
} from "../../model/mission/mission-spec.ts";
import { readDocument } from "../config/read-document.ts";
import { cloneFor } from "./clone-repository.ts";

interface ReadMission {
  readonly name: string;
  readonly file: MissionFile;
  readonly cwd: string;
}

/** A mission's file, checked as far as it can be without its repositories. */
export function readMissionFile(file: string, cwd: string, named: string | undefined): ReadMission {
  const place = path.resolve(cwd, file);
  const { value } = readDocument(place, "the mission");
  const { error, data } = missionFileSchema.safeParse(value);
  if (error !== undefined)
    throw invalid(
      file,
      error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`),
    );
  const problems = missionProblems(data);
  if (problems.length > 0) throw invalid(file, problems);
  const name =
    named ??
    path
      .basename(place, path.extname(place))
      .replaceAll(/[^A-Za-z0-9_-]/g, "-")
      .slice(0, 40);
  if (!MISSION_NAME.test(name))
    throw new Fault(
      "usage",
      `"${name}" cannot be the name of a mission: expected at most 40 letters, digits and _ -; choose one with --name`,
    );
  return { name, file: data, cwd: path.dirname(place) };
}

const invalid = (file: string, problems: readonly string[]): Fault =>
  new Fault("config_invalid", `${file}: ${problems.slice(0, 5).join("; ")}`, { details: { problems } });

interface Around {
  readonly system: System;
  /** Where clones are made. */
  readonly stateFolder: string;
  readonly config: string | undefined;
}

/** The mission with its repositories as they stand now; those at a URL are cloned first. */
export async function missionSpec(
  read: ReadMission,
  { system, stateFolder, config }: Around,
): Promise<MissionSpec> {
  const { name, file, cwd } = read;
  const repositories: Record<string, MissionRepository> = {};
  for (const [key, written] of Object.entries(file.repositories)) {
    const url = urlOf(written);
    const folder =
      url === null
        ? pathOf(written, cwd)
        : await cloneFor(path.join(stateFolder, "missions", name, key), url);
    repositories[key] = {
      path: folder,
      ...(url === null ? {} : { url }),
      ...(await standOf(system, key, folder)),
    };
  }
  const { order = needsOrder(file) ?? [] } = file;
  return { ...file, order, repositories, cwd, ...(config === undefined ? {} : { config }) };
}

const URL_TEXT = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/|^[\w.-]+@[\w.-]+:/;

function urlOf(written: MissionFile["repositories"][string]): string | null {
  if (typeof written === "object") return "url" in written ? written.url : null;
  return URL_TEXT.test(written) ? written : null;
}

function pathOf(written: MissionFile["repositories"][string], cwd: string): string {
  const text = typeof written === "string" ? written : "path" in written ? written.path : "";
  const folder = path.resolve(cwd, text);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Fault("not_found", `there is no folder ${folder}; expected a git repository`);
  return realpathSync(folder);
}

async function standOf(
  system: System,
  key: string,
  project: string,
): Promise<Pick<MissionRepository, "branch" | "commit">> {
  const seen = await system.ports.repositories?.rehearse({ project, commits: [] });
  if (seen?.kind !== "seen")
    throw new Fault(
      "usage",
      `the repository ${key} (${project}) is no git repository; expected one: run "git init" and commit there first`,
    );
  const { branch, commit } = seen;
  if (branch === null || commit === null)
    throw new Fault(
      "usage",
      `the repository ${key} (${project}) is on no branch with a commit; expected one that work can be taken into`,
    );
  return { branch, commit };
}
