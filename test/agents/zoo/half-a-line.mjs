// Stops in the middle of a line, and lives.
process.stdout.write('{"type":"ready"}\n{"type":"message","text":"I was about to s');
setInterval(() => undefined, 60_000);
