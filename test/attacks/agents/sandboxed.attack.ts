import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { socketOf } from "../../../src/agents/tmux/tmux-client.ts";
import { waitFor } from "../../agents/contract/scene.ts";
import { noSandbox, SandboxStage } from "../../agents/sandbox/sandbox-stage.ts";
import { tried, type Attack, type Outcome } from "../attack.ts";
import { SEALED_ACTS, UNPROVED_ACTS } from "./sealed-acts.ts";
import { pictureOf, realRepository } from "./sealed-stage.ts";

/** Plays on a stage with a sandbox, where this machine has one. */
async function onStage(play: (stage: SandboxStage) => Promise<Outcome>): Promise<Outcome> {
  if (noSandbox !== false) return { kind: "skipped", reason: noSandbox };
  const stage = new SandboxStage();
  try {
    return await play(stage);
  } finally {
    await stage.close();
  }
}

/** Lines of shell, each on its own; none of them may end the others. */
const script = (lines: readonly string[]): string =>
  lines.map((line) => `( ${line}\n) </dev/null`).join("\n");

/** With the server's address in hand, and with a look at every place where one might be. */
const typeIntoOthers = (): Promise<Outcome> =>
  onStage(async (stage) => {
    const other = stage.order("touch begun; sleep 300", { use: "tmux", sandbox: "none", prompt: "^> " });
    await stage.start(other);
    await waitFor(() => existsSync(path.join(stage.repo, "begun")) || undefined);
    const socket = socketOf(stage.sessions);
    if (!existsSync(socket)) throw new Error(`the server is not at ${socket}`);
    const planted = stage.in("planted");
    const lines = [
      `tmux -S ${socket} run-shell 'touch ${planted}'`,
      `tmux -S ${socket} send-keys 'touch ${planted}' Enter`,
      `tmux -S ${socket} new-window 'touch ${planted}'`,
      `tmux -S ${socket} kill-server && touch ${planted}`,
      `for s in $(find /tmp /run /var /root /home /etc -xdev -type s 2>/dev/null); do tmux -S "$s" run-shell 'touch ${planted}'; done`,
      `grep -a tmux.socket /proc/net/unix | while read -r l; do tmux -S "\${l##* }" run-shell 'touch ${planted}'; done`,
    ];
    try {
      await stage.play(stage.order(script(lines)));
      const isAlive = (await stage.driver(other).find(other)).kind === "alive";
      return tried(lines.length, [
        ...(existsSync(planted) ? ["a program ran in another's terminal"] : []),
        ...(isAlive ? [] : ["another's terminal was ended"]),
      ]);
    } finally {
      await stage.driver(other).end(other, 200);
    }
  });

/** Of files that are protected a trusted copy is kept, from which changes are undone. */
const changeTrusted = (): Promise<Outcome> =>
  onStage(async (stage) => {
    const copy = stage.put("state/store.sqlite-sessions-trusted/copy", "trusted");
    const folder = path.dirname(copy);
    const lines = [
      `echo evil > ${copy}`,
      `rm -rf ${folder}`,
      `mv ${folder} ${folder}.away`,
      `ln -sfn ${folder} t && echo evil > t/copy`,
      `mkdir -p ${folder} && echo evil > ${copy}`,
      `chmod 000 ${copy}; chattr +i ${copy}`,
    ];
    await stage.play(stage.order(script(lines)));
    return tried(
      lines.length,
      readFileSync(copy, "utf8") === "trusted" ? [] : ["a trusted copy was changed"],
    );
  });

/** By the real path, from a copy that it works in. */
const writeToSealed = (): Promise<Outcome> =>
  onStage(async (stage) => {
    const real = stage.in("home/real");
    realRepository(real);
    const copy = stage.in("state/store.sqlite-sessions-trees/copy");
    mkdirSync(copy, { recursive: true });
    const before = pictureOf(real);
    const acts = { ...SEALED_ACTS, ...UNPROVED_ACTS };
    const succeeded: string[] = [];
    for (const [does, act] of Object.entries(acts)) {
      await stage.play({ ...stage.order(`REAL=${real}; export REAL; ${act}`), cwd: copy });
      const work = readFileSync(path.join(real, "work.txt"), "utf8");
      if (
        pictureOf(real) !== before ||
        work !== "mine, not committed\n" ||
        existsSync(path.join(real, "evil.txt"))
      )
        succeeded.push(does);
    }
    return tried(Object.keys(acts).length, succeeded);
  });

/** The store, the key of the tools and the file of approvers. */
const openGates = (): Promise<Outcome> =>
  onStage(async (stage) => {
    const files = [
      stage.put("state/store.sqlite", "the journal"),
      stage.put("state/store.sqlite-sessions/door-1.json", "the key"),
      stage.put("home/.config/holdfast/approvers.json", "who approves"),
    ];
    const pictures = (): string =>
      files.map((file) => createHash("sha256").update(readFileSync(file)).digest("hex")).join();
    const before = pictures();
    writeFileSync(path.join(stage.repo, "found"), "");
    const lines = files.flatMap((file) => [`cat ${file} >> found`, `echo evil >> ${file}`, `rm -f ${file}`]);
    await stage.play(stage.order(script(lines)));
    const found = readFileSync(path.join(stage.repo, "found"), "utf8");
    return tried(lines.length, [
      ...(pictures() === before ? [] : ["the store, the key or the approvers were changed"]),
      ...(found === "" ? [] : [`read: ${found}`]),
    ]);
  });

/** Outside a sandbox the one that looks for the socket of another attempt's tools can speak to it. */
const callOthersTools = (): Promise<Outcome> =>
  onStage(async (stage) => {
    const key = "the key of the store, or a token";
    stage.put("state/store.sqlite-sessions/door-1.json", key);
    stage.put("state/store.sqlite-sessions/other/mcp.json", key);
    const socket = path.join(stage.sessions, "other/tools/socket");
    mkdirSync(path.dirname(socket));
    let calls = 0;
    const server = createServer((peer) => {
      calls += 1;
      peer.destroy();
    });
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    const call = (to: string): string =>
      `perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Peer => $ARGV[0])' "${to}"`;
    const lines = [
      call(socket),
      `ln -s ${path.dirname(socket)} tools; ${call("tools/socket")}`,
      `find / -xdev -type s 2>/dev/null | while read -r s; do ${call("$s")}; done`,
      `cat ${stage.sessions}/door-*.json ${stage.sessions}/other/* >> found`,
      `cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep '^HOLDFAST_MCP_\\(TOKEN\\|DOOR\\)' >> found`,
    ];
    try {
      await stage.play(stage.order(`${call(socket)}; exit 0`, { sandbox: "none" }));
      await waitFor(() => calls > 0 || undefined);
      const before = calls;
      await stage.play(stage.order(`: > found\n${script(lines)}`));
      const found = readFileSync(path.join(stage.repo, "found"), "utf8");
      return tried(lines.length, [
        ...(calls === before ? [] : ["another attempt's tools were spoken to"]),
        ...(found === "" ? [] : [`read: ${found}`]),
      ]);
    } finally {
      server.close();
    }
  });

const COUNT = { full: 1, short: 1 };

export const attacks: readonly Attack[] = [
  {
    ...{ threat: "T9", level: "sandbox", promised: "prevented", count: COUNT },
    title: "an agent in a sandbox knows the socket of Holdfast's tmux server, and searches for others",
    run: typeIntoOthers,
  },
  {
    ...{ threat: "T16", level: "sandbox", promised: "prevented", count: COUNT },
    title: "an agent in a sandbox changes the copies from which changes of protected files are undone",
    run: changeTrusted,
  },
  {
    ...{ threat: "T31", level: "sandbox", promised: "prevented", count: COUNT },
    title: "an agent in a sandbox speaks to the tools of another attempt, and searches for its token",
    run: callOthersTools,
  },
  {
    ...{ threat: "sealed", level: "sandbox", promised: "prevented", count: COUNT },
    title:
      "an agent in a sandbox that may not write does everything of the list to the real repository by its path",
    run: writeToSealed,
  },
  {
    ...{ threat: "principals", level: "sandbox", promised: "prevented", count: COUNT },
    title: "an agent in a sandbox reads and writes the store, the key of the tools and the file of approvers",
    run: openGates,
  },
];
