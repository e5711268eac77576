/**
 * The program that is killed while a mission over five repositories is at work: workstreams that hand files on, build on
 * each other in one repository, pass a barrier with a condition, and two that fail. A person mends what they lack, lets one
 * run go on, retries the other, commits to a repository meanwhile, and approves the whole.
 *
 * Usage: mission.ts FOLDER. Started again on the same folder it goes on where the journals and repositories stop.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSystem, type System } from "../../../src/main.ts";
import { missionSpecSchema, type MissionSpec } from "../../../src/model/mission/mission-spec.ts";
import { hostSettingsSchema, runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { isStarted } from "../../built-program.ts";
import { commitFile, filesOn, git, makeRepository } from "../../cli/mission/made-repository.ts";

export const MISSION = "shop";
export const REPOSITORIES = ["api", "web", "docs", "infra", "mobile"] as const;
const LOOK_MS = 20;

/** What each delivers; `lacks` fails until a person has made the file. */
export const WORK: readonly {
  readonly id: string;
  readonly repository: string;
  readonly needs: string[];
  readonly file: string;
  readonly lacks?: true;
}[] = [
  { id: "schema", repository: "api", needs: [], file: "schema.json" },
  { id: "server", repository: "api", needs: [], file: "server.txt" },
  { id: "release", repository: "api", needs: ["schema", "server"], file: "release.txt" },
  { id: "page", repository: "web", needs: ["designed"], file: "page.txt", lacks: true },
  { id: "guide", repository: "docs", needs: ["server"], file: "guide.txt" },
  { id: "deploy", repository: "infra", needs: [], file: "deploy.txt", lacks: true },
  { id: "app", repository: "mobile", needs: ["page"], file: "app.txt" },
];

const script = (file: string): string =>
  JSON.stringify({
    attempts: [
      [
        { do: "say", text: "{task}" },
        { do: "append", file, line: '{ "ready": true }' },
        { do: "usage", usd: 1, tokensIn: 5, tokensOut: 5 },
        { do: "claim", ok: true, text: "done" },
      ],
    ],
  });

const specOf = (folder: string): MissionSpec =>
  missionSpecSchema.parse({
    repositories: Object.fromEntries(
      REPOSITORIES.map((name) => {
        const path = join(folder, name);
        return [name, { path, branch: "main", commit: git(path, "rev-parse", "--verify", "holdfast-begin") }];
      }),
    ),
    workstreams: WORK.map(({ id, repository, needs, file }) => ({
      id,
      repository,
      needs,
      goal: `make ${file}`,
      artifacts: [file],
    })),
    barriers: {
      designed: {
        of: ["schema"],
        if: [{ workstream: "schema", artifact: "schema.json", at: "/ready", is: true }],
      },
    },
    order: WORK.map(({ id }) => id),
    concurrency: 3,
    cwd: folder,
  });

/** Once: five repositories, and a tag for where they began. */
function prepare(folder: string): void {
  for (const name of REPOSITORIES) {
    const path = join(folder, name);
    if (existsSync(join(path, ".git/refs/tags/holdfast-begin"))) continue;
    if (!existsSync(join(path, ".git/refs/heads/main"))) makeRepository(path);
    git(path, "tag", "holdfast-begin");
  }
  mkdirSync(join(folder, "made"), { recursive: true });
  for (const { id, file } of WORK) writeFileSync(join(folder, `${id}.json`), script(file));
}

const openOn = (folder: string): Promise<System> =>
  openSystem({
    store: `sqlite:${join(folder, "journal.db")}`,
    settings: hostSettingsSchema.parse({ supervisor: { scanMs: 20 } }),
    missions: {
      order: (spec, { id, goal, repository, artifacts }, handed) => {
        const lacks = WORK.some((one) => one.id === id && one.lacks === true);
        const checks = lacks ? [{ run: `test -f ${join(folder, "made", id)}` }] : [];
        return Promise.resolve({
          goal,
          flow: {
            name: id,
            steps: [
              {
                name: "work",
                task: [goal, ...handed.map(({ from, text }) => `${from}: ${text ?? ""}`)].join("\n"),
                agent: "worker",
                needs: [],
                authority: "writes" as const,
                checks,
                outputs: artifacts.map((path) => ({ path })),
              },
            ],
            phases: [],
          },
          agents: { worker: { use: "demo" as const, script: join(folder, `${id}.json`) } },
          settings: runSettingsSchema.parse({
            attempts: { perStep: 1 },
            checks: { tries: 1 },
            backoff: { baseMs: 1, capMs: 1 },
            startup: { termGraceMs: 500 },
            commit: { when: "step" },
            workspace: { isolation: "run", uncommitted: "leave" },
          }),
          budget: {},
          cwd: spec.repositories[repository]?.path ?? "",
          by: "nobody",
        });
      },
    },
  });

const by = { by: "ada" };

/** What the person sees of the mission, and does next; true once all is accepted. */
async function attend(system: System, folder: string): Promise<boolean> {
  const state = await system.missions.load(MISSION);
  if (state === null) return false;
  if (state.end !== null) return true;
  const isFailed = (id: string): boolean => state.goals[id]?.end?.kind === "failed";
  const hasRetried = (id: string): boolean => (state.goals[id]?.runs.length ?? 0) > 1;
  const isOpen = (id: string): boolean => state.goals[id]?.end === null;
  if (isFailed("page") && isFailed("deploy") && state.autopilot === null) {
    const { answer } = await system.missions.ask(
      MISSION,
      { kind: "launch", workstream: "deploy", retry: true },
      by,
    );
    const why = answer.kind === "refused" ? answer.reason : "launched";
    if (why !== "several_failures") throw new Error(`a retry of one of two failures: ${why}`);
    writeFileSync(join(folder, "made/page"), "");
    writeFileSync(join(folder, "made/deploy"), "");
    const run = state.goals["page"]?.runs.at(-1)?.run ?? "";
    await system.requests.ask(run, { kind: "retry" }, { ...by, waitMs: 0 }).catch(() => undefined);
  }
  if (isFailed("deploy") && !isFailed("page") && !isOpen("page") && !hasRetried("deploy"))
    await system.missions.ask(MISSION, { kind: "launch", workstream: "deploy", retry: true }, by);
  if (state.autopilotStop !== null && !isFailed("page") && state.goals["app"]?.status === "queued")
    await system.missions.ask(MISSION, { kind: "autopilot", autopilot: AUTOPILOT }, by);
  if (!Object.values(state.goals).every(({ end }) => end?.kind === "done")) return false;
  // Somebody works in a repository while nobody looks.
  if (!filesOn(join(folder, "web")).includes("mine.txt"))
    commitFile(join(folder, "web"), "mine.txt", "mine\n");
  if (state.acceptance === null) await system.missions.ask(MISSION, { kind: "approve" }, by);
  return false;
}

const AUTOPILOT = { autoRetry: false, retries: 0, missionRetries: 0, continueOnFailure: true };

async function live(folder: string): Promise<void> {
  prepare(folder);
  const system = await openOn(folder);
  await system.missions.ask(MISSION, { kind: "begin", spec: specOf(folder) }, by);
  const begun = await system.missions.load(MISSION);
  if (begun?.autopilotStop === null && begun.end === null && begun.acceptance === null)
    await system.missions.ask(MISSION, { kind: "autopilot", autopilot: AUTOPILOT }, by);
  const supervisor = system.supervisor();
  const working = supervisor.work();
  while (!(await attend(system, folder))) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  supervisor.stop();
  await working;
  await system.close();
}

const [folder] = process.argv.slice(2);
if (folder !== undefined && isStarted(import.meta.filename)) void live(folder);
