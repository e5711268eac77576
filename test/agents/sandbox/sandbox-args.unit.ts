import assert from "node:assert/strict";
import { test } from "node:test";
import { agentHomes } from "../../../src/agents/sandbox/agent-homes.ts";
import { sandboxArgs, type Mount } from "../../../src/agents/sandbox/sandbox-args.ts";
import { visibleFiles, type Look, type Wanted } from "../../../src/agents/sandbox/visible-files.ts";
import { agentSpecSchema } from "../../../src/model/flow/flow.ts";
import { sandboxWish, worksUnasked } from "../../../src/model/settings/sandbox.ts";

/** A file system that holds exactly these: a path that ends in a slash is a folder, `a -> b` a link. */
function files(...entries: readonly string[]): Look {
  const links = new Map(
    entries.flatMap((one) => (one.includes(" -> ") ? [one.split(" -> ") as [string, string]] : [])),
  );
  const plain = entries.filter((one) => !one.includes(" -> "));
  return {
    kind: (place) =>
      plain.includes(place) ? "file" : plain.some((one) => one.startsWith(`${place}/`)) ? "folder" : "none",
    link: (place) => links.get(place),
    real: (place) => links.get(place) ?? place,
    list: (folder) =>
      [
        ...new Set(
          plain
            .filter((one) => one.startsWith(`${folder}/`))
            .map((one) => one.slice(folder.length + 1).split("/")[0] ?? ""),
        ),
      ].filter((name) => name !== ""),
  };
}

const WANTED: Wanted = {
  home: "/home/ada",
  workspace: "/home/ada/work",
  own: "/state/s/tmp",
  session: "/state/s",
  command: ["/usr/bin/claude"],
  searchPath: "/usr/bin",
  homes: [],
  reads: [],
  hidden: [],
};

const at = (mounts: readonly Mount[], to: string): Mount | undefined =>
  mounts.findLast((one) => one.to === to);

test("P6 the workspace, a temporary folder and an empty home are all that can be written", () => {
  const mounts = visibleFiles(
    WANTED,
    files("/usr/bin/claude", "/etc/hosts", "/home/ada/work/a", "/home/ada/.ssh/id"),
  );
  assert.deepEqual(
    mounts.filter(({ kind }) => kind === "write"),
    [
      { kind: "write", from: "/state/s/tmp/tmp", to: "/tmp" },
      { kind: "write", from: "/state/s/tmp/var-tmp", to: "/var/tmp" },
      { kind: "write", from: "/state/s/tmp/home", to: "/home/ada" },
      { kind: "write", from: "/home/ada/work", to: "/home/ada/work" },
    ],
  );
  assert.ok(mounts.every(({ to }) => !to.includes(".ssh")));
});

test("P6 a program outside of the system's folders can be read with what it is installed with", () => {
  const look = files(
    "/srv/tools/node_modules/x/cli.js",
    "/srv/node/bin/node",
    "/home/ada/.local/bin/x",
    "/home/ada/work/a",
  );
  const command = ["/srv/node/bin/node", "/srv/tools/node_modules/x/cli.js", "--", "/srv/other"];
  const mounts = visibleFiles({ ...WANTED, command, searchPath: "/home/ada/.local/bin" }, look);
  for (const place of ["/srv/node", "/srv/tools", "/home/ada/.local/bin"])
    assert.deepEqual(at(mounts, place), { kind: "read", from: place, to: place });
  assert.equal(at(mounts, "/srv/other"), undefined);
});

test("P6 a script can be read with the package it is part of", () => {
  const look = files(
    "/srv/agent/package.json",
    "/srv/agent/src/main.ts",
    "/srv/alone.js",
    "/home/ada/work/a",
  );
  const mounts = visibleFiles({ ...WANTED, command: ["/srv/agent/src/main.ts", "/srv/alone.js"] }, look);
  assert.deepEqual(at(mounts, "/srv/agent"), { kind: "read", from: "/srv/agent", to: "/srv/agent" });
  assert.deepEqual(at(mounts, "/srv/alone.js"), { kind: "read", from: "/srv/alone.js", to: "/srv/alone.js" });
});

test("P6 nothing is mounted on a link in a folder that is shown; what it leads to can be read", () => {
  const look = files(
    "/srv/a/package.json",
    "/srv/a/main.js",
    "/srv/a/link",
    "/srv/a/link -> /srv/b",
    "/srv/b",
    "/home/ada/work/a",
  );
  const mounts = visibleFiles({ ...WANTED, command: ["/srv/a/main.js", "/srv/a/link"] }, look);
  assert.equal(at(mounts, "/srv/a/link"), undefined);
  assert.equal(at(mounts, "/srv/b")?.kind, "read");
});

test("P6 keys and Holdfast's own files stay hidden where a folder around them is shown", () => {
  const look = files(
    "/home/ada/work/a",
    "/home/ada/.cargo/bin/x",
    "/home/ada/.cargo/credentials.toml",
    "/opt/hf/store.sqlite",
    "/opt/hf/store.sqlite-sessions/x",
    "/etc/shadow",
    "/etc/ssh/key",
  );
  const wanted = {
    ...WANTED,
    searchPath: "/home/ada/.cargo/bin",
    hidden: ["/opt/hf/store.sqlite", "/opt/hf/store.sqlite-sessions"],
  };
  const mounts = visibleFiles(wanted, look);
  assert.deepEqual(at(mounts, "/home/ada/.cargo/credentials.toml"), {
    kind: "blank",
    to: "/home/ada/.cargo/credentials.toml",
  });
  assert.deepEqual(at(mounts, "/opt/hf/store.sqlite"), { kind: "blank", to: "/opt/hf/store.sqlite" });
  assert.deepEqual(at(mounts, "/opt/hf/store.sqlite-sessions"), {
    kind: "empty",
    to: "/opt/hf/store.sqlite-sessions",
  });
  assert.deepEqual(at(mounts, "/etc/shadow"), { kind: "blank", to: "/etc/shadow" });
  assert.deepEqual(at(mounts, "/etc/ssh"), { kind: "empty", to: "/etc/ssh" });
});

test("P6 A6 an agent's conversations are kept and its settings can only be read", () => {
  const look = files(
    "/home/ada/work/a",
    "/home/ada/.claude/settings.json",
    "/home/ada/.claude/projects/x",
    "/home/ada/.claude/.credentials.json",
  );
  const homes = agentHomes(["claude", "/usr/bin/claude"], { HOME: "/home/ada" });
  const mounts = visibleFiles({ ...WANTED, homes }, look);
  const kinds = ["settings.json", "projects", ".credentials.json"].map(
    (name) => at(mounts, `/home/ada/.claude/${name}`)?.kind,
  );
  assert.deepEqual(kinds, ["read", "write", undefined]);
  assert.deepEqual(at(mounts, "/home/ada/.claude"), {
    kind: "write",
    from: "/state/s/homes/agent-0",
    to: "/home/ada/.claude",
  });
});

test("P6 agents get the homes that their driver or command names, wherever their variables put them", () => {
  const folders = (words: string[], env = {}): string[] =>
    agentHomes(words, { HOME: "/h", ...env }).map(({ folder }) => folder);
  assert.deepEqual(folders(["claude", "x"], { CLAUDE_CONFIG_DIR: "/c" }), ["/c"]);
  assert.deepEqual(folders(["acp", "/usr/bin/codex-acp"], { CODEX_HOME: "/x" }), ["/x"]);
  assert.deepEqual(folders(["tmux", "node", "/opt/gemini.js"]), ["/h/.gemini"]);
  assert.ok(folders(["opencode", "opencode"]).includes("/h/.local/share/opencode"));
  assert.deepEqual(folders(["tmux", "bash"]), []);
});

test("P6 what lies inside is mounted after what it lies in, and of two for one place the later one counts", () => {
  const read = (to: string, from = to): Mount => ({ kind: "read", from, to });
  const args = sandboxArgs({
    mounts: [read("/a/b/c"), { kind: "empty", to: "/a/b" }, read("/a"), read("/a/b/c", "/other")],
    cwd: "/a",
    network: "none",
    env: { GONE: undefined, SET: "1" },
  });
  const text = args.join(" ");
  assert.match(
    text,
    /--ro-bind \/a \/a --tmpfs \/a\/b --ro-bind \/other \/a\/b\/c --remount-ro \/a\/b --remount-ro \/ /,
  );
  assert.match(text, /--unsetenv GONE --setenv SET 1 --chdir \/a --$/);
  for (const word of [
    "--unshare-pid",
    "--unshare-net",
    "--die-with-parent",
    "--disable-userns",
    "--cap-drop ALL",
  ])
    assert.ok(text.includes(word), word);
  assert.ok(!sandboxArgs({ mounts: [], cwd: "/", network: "all", env: {} }).includes("--unshare-net"));
});

test("P6 auto is for agents that work without asking; required is for every one", () => {
  const spec = (given: object) => agentSpecSchema.parse({ use: "acp", command: ["x"], ...given });
  assert.deepEqual(
    [
      { use: "claude" },
      { use: "codex" },
      { permissions: "allow" },
      { permissions: { default: "allow" } },
      { use: "tmux", command: ["claude", "--dangerously-skip-permissions"] },
      { args: ["--approval-mode=yolo"] },
    ].map((given) => worksUnasked(spec(given))),
    [true, true, true, true, true, true],
  );
  for (const given of [{}, { permissions: "ask" }, { use: "tmux", command: ["bash"] }, { use: "demo" }])
    assert.equal(sandboxWish(spec(given), "auto"), "none");
  assert.equal(sandboxWish(spec({ permissions: "allow" }), "auto"), "wanted");
  assert.equal(sandboxWish(spec({ use: "claude", sandbox: "none" }), "auto"), "none");
  assert.equal(sandboxWish(spec({ sandbox: "required" }), "none"), "required");
  assert.equal(sandboxWish(spec({}), "required"), "required");
});
