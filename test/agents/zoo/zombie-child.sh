# Has a child that ended and that nobody asks for.
sh -c 'exit 0' &
echo '{"type":"ready"}'
exec sleep 600
