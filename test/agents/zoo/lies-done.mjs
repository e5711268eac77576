// Says that the work is done, and has done none.
process.stdout.write('{"type":"ready"}\n{"type":"done","text":"All tests pass and hello.txt is written."}\n');
