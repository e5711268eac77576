import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { STORIES, STORY_BEGINS, STORY_KILL, STORY_NOW, runOrderOf } from "./stories.ts";
import { MINUTE, StoryWorld } from "./story-world.ts";

/** Plays the stories into a new store of that folder, and holds it as a living supervisor does. */
export async function playStories(root: string): Promise<{ readonly home: string }> {
  const home = path.join(root, "home");
  const repository = path.join(root, "shop");
  rmSync(root, { recursive: true, force: true });
  mkdirSync(home, { recursive: true, mode: 0o700 });
  prepareRepository(repository);
  const world = new StoryWorld({
    home,
    startsAt: STORY_BEGINS,
    scriptOf: (order) => STORIES.find(({ id }) => id === order.run)?.acts(order) ?? [],
    checkOf: () => "pass",
    notifier: {
      deliver: ({ id }, channel) =>
        Promise.resolve(
          JSON.stringify(channel).includes("page") && id.length % 2 === 0
            ? { kind: "failed", text: "the command ended with code 7: gateway unreachable", terminal: false }
            : { kind: "delivered", detail: "the command ended with code 0" },
        ),
    },
  });
  await world.open();
  for (const story of STORIES) world.at(story.from, () => world.create(runOrderOf(story, repository)));
  world.at(STORY_NOW - 9 * MINUTE, () =>
    world.ask("cache-headers", {
      kind: "alarm",
      dueAt: STORY_NOW + 95 * MINUTE,
      note: "look at the hit rate",
    }),
  );
  const kill = await world.startSupervisor();
  await world.playUntil(STORY_KILL);
  kill();
  await world.playUntil(STORY_KILL + MINUTE);
  await world.startSupervisor();
  await world.playUntil(STORY_NOW);
  return { home };
}

function prepareRepository(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const date = "2026-11-16T17:00:00Z";
  const who = { GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@shop.example" };
  const env = {
    ...process.env,
    ...who,
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@shop.example",
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_DATE: date,
  };
  const git = (...args: string[]): void => void execFileSync("git", args, { cwd: folder, env });
  git("init", "-q", "-b", "main");
  writeFileSync(path.join(folder, "package.json"), '{ "name": "shop", "version": "4.1.0" }\n');
  mkdirSync(path.join(folder, "src"));
  writeFileSync(path.join(folder, "src", "session.js"), "export function session() {}\n");
  git("add", "-A");
  git("commit", "-q", "-m", "Begin");
}
