/** A supervisor in small, to be killed: sends one message to a session. Usage: poster FOLDER SESSION KEY TEXT */
import { postWords } from "../../../src/agents/keeper/post-words.ts";
import { sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { crashOptionsFrom, realWorld } from "../../../src/real-world.ts";

const [, , folder = "", name = "", key = "", text = ""] = process.argv;
const world = realWorld(crashOptionsFrom(process.env));
const session = sessionFolder(folder, name);
const delivery = await postWords({ world, session, key, text, limitMs: 20_000, closed: () => false });
process.stdout.write(delivery.kind);
