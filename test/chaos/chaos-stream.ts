// `npm run chaos:stream [-- EVENTS KILLS]`: a reader of the stream that is killed at random sees every event once.
import { seeEachOnce } from "../api/stream-once.ts";

const [events = 100_000, kills = 1_000] = process.argv.slice(2).map(Number);
const began = performance.now();
const result = await seeEachOnce({ events, kills, runs: 25, chance: Math.random });
const seconds = ((performance.now() - began) / 1_000).toFixed(1);
process.stdout.write(`${JSON.stringify({ ...result, seconds })}\n`);
if (result.repeated + result.missing + result.outOfOrder > 0 || result.kills < kills) process.exitCode = 1;
