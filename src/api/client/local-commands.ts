const MISSIONS_HERE = "works in repositories of this machine";
const MISSION_PARTS = [
  "status",
  "list",
  "diff",
  "start",
  "launch",
  "autopilot",
  "approve",
  "pause",
  "resume",
  "stop",
];
const MISSIONS = Object.fromEntries(
  ["", ...[...MISSION_PARTS, "reconcile", "skip", "pass"].map((part) => ` ${part}`)].map((part) => [
    `mission${part}`,
    MISSIONS_HERE,
  ]),
);

/** Commands without a route, and why: each works on the machine it is called on, for the person in front of it. */
export const LOCAL_COMMANDS: Readonly<Record<string, string>> = {
  approver: "reads passphrases from the terminal that it is called in",
  "approver add": "reads passphrases from the terminal that it is called in",
  "approver list": "about the keys of this machine's owner",
  "approver remove": "reads passphrases from the terminal that it is called in",
  "agents try": "starts an agent of this machine in a folder that is thrown away",
  archive: "writes files into a folder of this machine",
  backup: "writes a folder of this machine",
  "restore-store": "replaces the store that a server would have open",
  chaos: "a tool for tests",
  "chaos model": "serves a fake provider in the terminal that it is called in",
  ...MISSIONS,
  completion: "a script for the shell that it is called in",
  config: "has no work of its own",
  "config schema": "the same on every machine: no server is needed",
  demo: "plays a story in a folder of this machine",
  init: "writes a configuration file into the folder that it is called in",
  investigate: "opens the terminal of a session of this machine",
  mcp: "speaks to the agent that has started it",
  proposal: "has no work of its own",
  scrub: "reads the secret that is removed from a file or the terminal of this machine",
  serve: "is the server",
  token: "has no work of its own",
  trust: "decides what a repository of this machine may run; the person must see it there",
  unlock: "ends a process of this machine that holds the store",
  view: "writes a file of this machine",
  validate: "reads files of the folder that it is called in",
};
