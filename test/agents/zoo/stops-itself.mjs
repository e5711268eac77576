// Stops itself as a terminal's Ctrl-Z would: alive, and deaf to all but KILL and CONT.
process.stdout.write('{"type":"ready"}\n', () => process.kill(process.pid, "SIGSTOP"));
setInterval(() => undefined, 60_000);
