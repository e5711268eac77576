import path from "node:path";
import {
  type Conversation,
  isRecord,
  type JsonRecord,
  type OfferedTool,
  recordOf,
  recordsOf,
  textOf,
  type ToolCall,
} from "./vendor.ts";
import type { ModelAct } from "../model/agent/model-script.ts";

/** What a script's act becomes: a call of one of the agent's own tools, or a reason why there is none. */
export type MappedAct = Omit<ToolCall, "id"> | { readonly unmapped: string };

/** Names of tools by what they do, as agents call them; compared without case and punctuation. */
const TOOLS = {
  write: ["write", "writefile", "createfile"],
  read: ["read", "readfile", "view"],
  run: ["bash", "runshellcommand", "execcommand", "shellcommand", "shell", "localshell", "developershell"],
} as const;
const PATH_KEYS = ["file_path", "filePath", "absolute_path", "path", "file"];
const TEXT_KEYS = ["content", "contents", "text", "file_text"];
const COMMAND_KEYS = ["command", "cmd", "script"];
/** Where agents inform the model in which folder they work. */
const FOLDERS = [
  /<cwd>([^<\n]+)<\/cwd>/,
  /[Ww]orking directory:? `?([^\s`]+)/,
  /working in the directory:? `?([^\s`]+)/,
  /Workspace Directories:\*?\*?\s*(?:-\s*)?`?(\/[^\s`]+)/,
];

export function mapAct(act: ModelAct, talk: Conversation): MappedAct {
  if (act.tool !== undefined)
    return { ...named(act.tool.name, talk), input: { arguments: act.tool.arguments } };
  if (act.write !== undefined) return mapWrite(act.write, talk);
  if (act.read !== undefined) return mapRead(act.read, talk);
  return mapRun(act.run ?? "", talk);
}

/** A tool of a namespace goes by both names, with two underscores between them. */
function named(name: string, { tools }: Conversation): Pick<ToolCall, "name" | "namespace"> {
  const inner = tools.find(
    (tool) => tool.namespace !== undefined && `${tool.namespace}__${tool.name}` === name,
  );
  return inner === undefined ? { name } : { name: inner.name, namespace: inner.namespace };
}

function mapWrite({ file, content }: NonNullable<ModelAct["write"]>, talk: Conversation): MappedAct {
  const tool = find(TOOLS.write, talk);
  if (tool !== undefined)
    return fill(tool, [
      [PATH_KEYS, whole(file, talk)],
      [TEXT_KEYS, content],
    ]);
  const patch = talk.tools.find(({ name, takes }) => name === "apply_patch" && takes === "text");
  if (patch !== undefined) return { name: patch.name, input: { text: patchText(file, content) } };
  return mapRun(`printf %s ${quoted(content)} > ${quoted(file)}`, talk);
}

function mapRead(file: string, talk: Conversation): MappedAct {
  const tool = find(TOOLS.read, talk);
  if (tool === undefined) return mapRun(`cat ${quoted(file)}`, talk);
  return fill(tool, [[PATH_KEYS, whole(file, talk)]]);
}

function mapRun(command: string, talk: Conversation): MappedAct {
  const tool = find(TOOLS.run, talk);
  if (tool === undefined) {
    const offered = talk.tools.map(({ name }) => name).join(", ") || "none";
    return { unmapped: `the script acts, and no offered tool fits; offered: ${offered}` };
  }
  const key = COMMAND_KEYS.find((name) => name in recordOf(tool.schema["properties"])) ?? "command";
  const wantsList = typeOf(recordOf(recordOf(tool.schema["properties"])[key])) === "array";
  return fill(tool, [[[key], wantsList ? ["bash", "-lc", command] : command]]);
}

function find(names: readonly string[], { tools }: Conversation): OfferedTool | undefined {
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, "");
  return names
    .map((wanted) => tools.find(({ name, takes }) => takes === "arguments" && plain(name) === wanted))
    .find((tool) => tool !== undefined);
}

/** The tool's own names for its arguments, and something harmless for anything else that it requires. */
function fill(
  tool: OfferedTool,
  values: readonly (readonly [keys: readonly string[], value: unknown])[],
): MappedAct {
  const known = recordOf(tool.schema["properties"]);
  const given = values.map(([keys, value]) => [keys.find((key) => key in known) ?? keys[0], value] as const);
  const required = recordOf(exampleOf({ ...tool.schema, type: "object" }));
  return {
    name: tool.name,
    input: { arguments: { ...required, ...(Object.fromEntries(given) as JsonRecord) } },
  };
}

/** Some tools take whole paths only; the agent informed the model where it works. */
function whole(file: string, { system, received }: Conversation): string {
  if (path.isAbsolute(file)) return file;
  for (const text of [system, received])
    for (const pattern of FOLDERS) {
      const folder = pattern.exec(text)?.[1];
      if (folder !== undefined && path.isAbsolute(folder)) return path.join(folder, file);
    }
  return file;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const patchText = (file: string, content: string): string => {
  const lines = content.replace(/\n$/, "").split("\n");
  return `*** Begin Patch\n*** Add File: ${file}\n${lines.map((line) => `+${line}\n`).join("")}*** End Patch\n`;
};

const DEPTH_MAX = 8;

/** The simplest value that fits a JSON Schema: required keys only, the first of any choice. */
export function exampleOf(schema: JsonRecord, depth = 0): unknown {
  if (depth > DEPTH_MAX) return null;
  if (schema["const"] !== undefined) return schema["const"];
  if (Array.isArray(schema["enum"])) return schema["enum"][0] as unknown;
  const [choice] = recordsOf(schema["anyOf"] ?? schema["oneOf"]);
  if (choice !== undefined) return exampleOf(choice, depth + 1);
  switch (typeOf(schema)) {
    case "string":
      return "none";
    case "integer":
    case "number":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 1;
    case "boolean":
      return false;
    case "array":
      return typeof schema["minItems"] === "number" && schema["minItems"] > 0
        ? [exampleOf(recordOf(schema["items"]), depth + 1)]
        : [];
    case "object":
      return requiredOf(schema, depth);
    default:
      return null;
  }
}

/** Some vendors shout the names of types, and some list several. */
function typeOf(schema: JsonRecord): string {
  const { type } = schema;
  const first = Array.isArray(type) ? (type[0] as unknown) : type;
  if (typeof first === "string") return first.toLowerCase();
  return isRecord(schema["properties"]) ? "object" : "";
}

function requiredOf(schema: JsonRecord, depth: number): JsonRecord {
  const properties = recordOf(schema["properties"]);
  const required = Array.isArray(schema["required"]) ? schema["required"].map(textOf) : [];
  return Object.fromEntries(required.map((key) => [key, exampleOf(recordOf(properties[key]), depth + 1)]));
}
