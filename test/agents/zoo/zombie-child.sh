# Has a child that ended and that nobody asks for. It ends after this shell is gone, which may ask for it.
sleep 1 &
echo '{"type":"ready"}'
exec sleep 600
